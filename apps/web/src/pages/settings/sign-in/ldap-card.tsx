import { useMutation } from "@tanstack/react-query";
import { type ReactNode, type SyntheticEvent, useState } from "react";
import { settingsTexts } from "../../../texts/settings-en.ts";
import { Button } from "../../../ui/button.tsx";
import { FormError } from "../../../ui/form-error.tsx";
import { Field, Input } from "../../../ui/input.tsx";
import { PasswordField } from "../../../ui/password-field.tsx";
import { Card, EffectiveSettings } from "./card.tsx";
import { worstOf } from "./outcome-mark.tsx";
import { type SignInDirectory, tryLdap } from "./sign-in-queries.ts";
import { StepList } from "./step-list.tsx";
import { TryReport } from "./try-report.tsx";

const TEXTS = settingsTexts.signIn;

export function LdapCard({ directory: { servers, settings } }: { directory: SignInDirectory }): ReactNode {
	const outcomes = servers.map(({ steps }) => worstOf(steps));
	// One working server is enough: when one does not answer, the next is tried.
	const works = outcomes.some((outcome) => outcome !== "failed");
	const outcome = works ? (outcomes.every((each) => each === "ok") ? "ok" : "warning") : "failed";
	return (
		<Card title={TEXTS.ldap} outcome={outcome}>
			{servers.map(({ address, steps }) => (
				<div key={address}>
					<h3 className="font-mono [overflow-wrap:anywhere]">{address}</h3>
					<StepList label={TEXTS.checksOf(address)} steps={steps} />
				</div>
			))}
			<EffectiveSettings settings={settings} />
			<TryUsername />
		</Card>
	);
}

/** Looks a person up as a log-in would, without logging in. */
function TryUsername(): ReactNode {
	const [username, setUsername] = useState("");
	const [password, setPassword] = useState("");
	const [isMissing, setMissing] = useState(false);
	const look = useMutation({
		mutationFn: () => tryLdap({ username, password }),
		gcTime: 0,
		onSettled: () => setPassword(""),
	});
	const submit = (event: SyntheticEvent) => {
		event.preventDefault();
		setMissing(username.trim() === "");
		if (username.trim() === "") look.reset();
		else look.mutate();
	};
	return (
		<div className="flex flex-col gap-3 border-line border-t pt-3">
			<form onSubmit={submit} autoComplete="off" className="flex flex-col gap-3">
				<h3 className="font-medium">{TEXTS.tryUsername}</h3>
				<p className="text-muted text-sm">{TEXTS.tryUsernameHint}</p>
				<div className="grid items-start gap-3 sm:grid-cols-2">
					<Field label={TEXTS.username} error={isMissing ? TEXTS.usernameMissing : undefined}>
						<Input
							value={username}
							maxLength={256}
							autoCapitalize="none"
							autoComplete="off"
							spellCheck={false}
							aria-invalid={isMissing}
							className="h-9"
							onChange={(event) => setUsername(event.target.value)}
						/>
					</Field>
					<PasswordField
						label={TEXTS.password}
						value={password}
						// Keeps browsers from filling in the admin's own password.
						autoComplete="new-password"
						onChange={(event) => setPassword(event.target.value)}
					/>
				</div>
				<Button type="submit" look="primary" disabled={look.isPending} className="self-start">
					{look.isPending ? TEXTS.asking : TEXTS.look}
				</Button>
				<FormError error={look.error} />
			</form>
			{look.data && <TryReport report={look.data} />}
		</div>
	);
}
