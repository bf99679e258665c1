import { type ReactNode, type SyntheticEvent, useEffect, useId, useRef, useState } from "react";
import { logOut } from "../auth/log-out.ts";
import type { Me } from "../auth/me.ts";
import { stampRenewal } from "../auth/renewal-stamp.ts";
import { signInTexts } from "../texts/sign-in-en.ts";
import { buttonClass } from "../ui/button-class.ts";
import { PasswordField } from "../ui/password-field.tsx";
import { FormAlert } from "./form-alert.tsx";
import { NewPasswordFields, newPasswordProblem } from "./new-password-fields.tsx";
import { offline, type Refusal, sendForm } from "./requests.ts";
import { openReturnUrl } from "./return-url-links.ts";

const TEXTS = signInTexts.newPassword;

export interface NewPasswordFormProps {
	readonly me: Me;
	/** The password that was just typed to log in; asked for when it is not known. */
	readonly current: string | undefined;
}

/** The password that has to be set before anything else. */
export function NewPasswordForm({ me, current }: NewPasswordFormProps): ReactNode {
	const alert = useId();
	const [old, fresh, repeat] = [
		useRef<HTMLInputElement>(null),
		useRef<HTMLInputElement>(null),
		useRef<HTMLInputElement>(null),
	];
	const [refusal, setRefusal] = useState<Refusal | string>();
	const [busy, setBusy] = useState(false);
	const [asksCurrent, setAsksCurrent] = useState(current === undefined);
	useEffect(() => (old.current ?? fresh.current)?.focus(), [old, fresh]);
	const submit = async (event: SyntheticEvent<HTMLFormElement>) => {
		event.preventDefault();
		if (busy) return;
		const currentPassword = asksCurrent ? (old.current?.value ?? "") : (current ?? "");
		const password = fresh.current?.value ?? "";
		const problem = newPasswordProblem(password, repeat.current?.value ?? "", currentPassword);
		setRefusal(problem);
		if (problem !== undefined) return fresh.current?.focus();
		setBusy(true);
		const refused = await sendForm("PATCH", "/v1/user", { password, current_password: currentPassword });
		if (refused === undefined) {
			stampRenewal();
			return openReturnUrl();
		}
		setBusy(false);
		setRefusal(refused);
		if (refused.code === "wrong_password") setAsksCurrent(true);
		fresh.current?.focus();
	};
	const leave = async () => {
		try {
			await logOut();
		} catch (error) {
			if (!(error instanceof Error)) throw error;
			setRefusal(offline());
		}
	};
	return (
		<form method="post" noValidate onSubmit={(event) => void submit(event)} className="flex flex-col gap-3">
			<p className="text-muted">{TEXTS.text(me.email ?? me.username)}</p>
			<FormAlert id={alert} refusal={refusal} />
			{/* Tells password managers whose password this is. */}
			<input type="text" name="email" autoComplete="username" defaultValue={me.email} readOnly hidden />
			{asksCurrent && (
				<PasswordField
					ref={old}
					label={signInTexts.password.current}
					name="password"
					autoComplete="current-password"
					required
					aria-describedby={alert}
				>
					<span className="text-muted text-sm">{TEXTS.currentHint}</span>
				</PasswordField>
			)}
			<NewPasswordFields fresh={fresh} repeat={repeat} describedBy={alert} />
			<button type="submit" aria-disabled={busy} className={buttonClass("primary", "h-9")}>
				{busy ? TEXTS.busy : TEXTS.submit}
			</button>
			<button type="button" onClick={() => void leave()} className="self-start text-accent hover:underline">
				{TEXTS.logOut}
			</button>
		</form>
	);
}
