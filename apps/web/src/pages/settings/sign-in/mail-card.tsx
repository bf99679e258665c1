import { useMutation } from "@tanstack/react-query";
import { type ReactNode, type SyntheticEvent, useState } from "react";
import { settingsTexts } from "../../../texts/settings-en.ts";
import { Button } from "../../../ui/button.tsx";
import { FormError } from "../../../ui/form-error.tsx";
import { Field, Input } from "../../../ui/input.tsx";
import { Card } from "./card.tsx";
import { worstOf } from "./outcome-mark.tsx";
import { type SignInState, sendTestMail } from "./sign-in-queries.ts";
import { StepList } from "./step-list.tsx";

const TEXTS = settingsTexts.signIn;

/** The mail server and sender, and whether they work. */
export function MailCard({ mail: { server, sender, steps } }: { mail: SignInState["mail"] }): ReactNode {
	if (server === null) {
		return (
			<Card title={TEXTS.mail} outcome="skipped">
				<p>{TEXTS.mailOff}</p>
			</Card>
		);
	}
	return (
		<Card title={TEXTS.mail} outcome={worstOf(steps)}>
			<p className="[overflow-wrap:anywhere]">{TEXTS.mailOf(server, sender)}</p>
			<StepList label={TEXTS.mailChecks} steps={steps} />
			<TestMail />
		</Card>
	);
}

function TestMail(): ReactNode {
	const [to, setTo] = useState("");
	const [isMissing, setMissing] = useState(false);
	const send = useMutation({ mutationFn: () => sendTestMail(to), gcTime: 0 });
	const submit = (event: SyntheticEvent) => {
		event.preventDefault();
		const isEmpty = to.trim() === "";
		setMissing(isEmpty);
		if (isEmpty) send.reset();
		else send.mutate();
	};
	return (
		<div className="flex flex-col gap-3 border-line border-t pt-3">
			<form onSubmit={submit} noValidate className="flex flex-col gap-3">
				<Field label={TEXTS.mailTo} error={isMissing ? TEXTS.mailToMissing : undefined}>
					<Input
						type="email"
						value={to}
						maxLength={254}
						autoComplete="email"
						aria-invalid={isMissing}
						className="h-9 max-w-96"
						onChange={(event) => setTo(event.target.value)}
					/>
				</Field>
				<Button type="submit" look="primary" disabled={send.isPending} className="self-start">
					{send.isPending ? TEXTS.mailSending : TEXTS.mailSend}
				</Button>
				<FormError error={send.error} />
			</form>
			<div role="status">{send.data && <StepList label={TEXTS.mailReport} steps={send.data.steps} showsFacts />}</div>
		</div>
	);
}
