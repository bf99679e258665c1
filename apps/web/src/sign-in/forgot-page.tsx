import { type ReactNode, type SyntheticEvent, useEffect, useId, useRef, useState } from "react";
import { config } from "../lib/config.ts";
import { signInTexts } from "../texts/sign-in-en.ts";
import { buttonClass } from "../ui/button-class.ts";
import { Field, Input } from "../ui/input.tsx";
import { FormAlert } from "./form-alert.tsx";
import { type Refusal, sendForm } from "./requests.ts";
import { logInFormHref } from "./return-url-links.ts";
import { SignInLayout } from "./sign-in-layout.tsx";

const TEXTS = signInTexts.forgot;

/** Requests a mail with a link. The answer does not reveal whether the account exists. */
export function ForgotPage(): ReactNode {
	const [isDone, setDone] = useState(false);
	const title = isDone ? TEXTS.doneTitle : TEXTS.title;
	return (
		<SignInLayout title={title}>
			{isDone ? (
				<div role="status" className="flex flex-col gap-3">
					<p>{TEXTS.done}</p>
					<p className="text-muted">{TEXTS.nothing}</p>
				</div>
			) : config.auth.passwordMail ? (
				<ForgotForm onDone={() => setDone(true)} />
			) : (
				<p>{TEXTS.off}</p>
			)}
			<a href={logInFormHref()} className="self-start text-accent hover:underline">
				{TEXTS.back}
			</a>
		</SignInLayout>
	);
}

function ForgotForm({ onDone }: { onDone: () => void }): ReactNode {
	const alert = useId();
	const field = useRef<HTMLInputElement>(null);
	const [refusal, setRefusal] = useState<Refusal | string>();
	const [busy, setBusy] = useState(false);
	useEffect(() => field.current?.focus(), []);
	const submit = async (event: SyntheticEvent<HTMLFormElement>) => {
		event.preventDefault();
		if (busy) return;
		const email = field.current?.value.trim() ?? "";
		setRefusal(email === "" ? TEXTS.missing : undefined);
		if (email === "") return field.current?.focus();
		setBusy(true);
		const refused = await sendForm("POST", "/auth/password-reset-email", { email });
		if (refused === undefined) return onDone();
		setBusy(false);
		setRefusal(refused);
		field.current?.focus();
	};
	return (
		<form method="post" noValidate onSubmit={(event) => void submit(event)} className="flex flex-col gap-3">
			<p className="text-muted">{TEXTS.text}</p>
			<FormAlert id={alert} refusal={refusal} />
			<Field label={signInTexts.logIn.name.password}>
				<Input
					ref={field}
					type="email"
					name="email"
					autoComplete="username"
					autoCapitalize="none"
					required
					aria-describedby={alert}
					className="h-9"
				/>
			</Field>
			<button type="submit" aria-disabled={busy} className={buttonClass("primary", "h-9")}>
				{busy ? TEXTS.busy : TEXTS.submit}
			</button>
		</form>
	);
}
