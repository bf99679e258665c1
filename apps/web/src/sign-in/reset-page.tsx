import { type ReactNode, type SyntheticEvent, useEffect, useId, useRef, useState } from "react";
import { forgetUser } from "../auth/forget.ts";
import { config } from "../lib/config.ts";
import { signInTexts } from "../texts/sign-in-en.ts";
import { buttonClass } from "../ui/button-class.ts";
import { FormAlert } from "./form-alert.tsx";
import { NewPasswordFields, newPasswordProblem } from "./new-password-fields.tsx";
import { type Refusal, sendForm } from "./requests.ts";
import { resetToken } from "./reset-token.ts";
import { logInFormHref, signInHref } from "./return-url-links.ts";
import { SignInLayout } from "./sign-in-layout.tsx";

const TEXTS = signInTexts.reset;

/** Sets a new password with the link of a password mail. */
export function ResetPage(): ReactNode {
	const token = resetToken();
	const [isDone, setDone] = useState(false);
	useEffect(() => {
		// A second link in the same tab changes nothing but the fragment.
		const again = () => location.reload();
		window.addEventListener("hashchange", again);
		return () => window.removeEventListener("hashchange", again);
	}, []);
	if (token === undefined) {
		return (
			<SignInLayout title={TEXTS.missingTitle}>
				<p>{TEXTS.missing}</p>
				<NewLink />
			</SignInLayout>
		);
	}
	return (
		<SignInLayout title={isDone ? TEXTS.doneTitle : TEXTS.title}>
			{isDone ? (
				<>
					<p role="status">{TEXTS.done}</p>
					<a href={logInFormHref()} className={buttonClass("primary", "h-9")}>
						{signInTexts.logIn.title}
					</a>
				</>
			) : (
				<ResetForm token={token} onDone={() => setDone(true)} />
			)}
		</SignInLayout>
	);
}

function NewLink(): ReactNode {
	const isOffered = config.auth.passwordMail;
	return (
		<a
			href={isOffered ? signInHref("forgot-password") : logInFormHref()}
			className="self-start text-accent hover:underline"
		>
			{isOffered ? TEXTS.again : signInTexts.forgot.back}
		</a>
	);
}

function ResetForm({ token, onDone }: { token: string; onDone: () => void }): ReactNode {
	const alert = useId();
	const [fresh, repeat] = [useRef<HTMLInputElement>(null), useRef<HTMLInputElement>(null)];
	const [refusal, setRefusal] = useState<Refusal | string>();
	const [busy, setBusy] = useState(false);
	useEffect(() => fresh.current?.focus(), [fresh]);
	const submit = async (event: SyntheticEvent<HTMLFormElement>) => {
		event.preventDefault();
		if (busy) return;
		const password = fresh.current?.value ?? "";
		const problem = newPasswordProblem(password, repeat.current?.value ?? "");
		setRefusal(problem);
		if (problem !== undefined) return fresh.current?.focus();
		setBusy(true);
		const refused = await sendForm("POST", "/auth/password-reset", { token, password });
		if (refused === undefined) {
			// Sessions of this browser's user may have ended with it.
			forgetUser();
			return onDone();
		}
		setBusy(false);
		setRefusal(refused.status === 401 && !refused.code.startsWith("untrusted") ? TEXTS.invalid : refused);
		fresh.current?.focus();
	};
	return (
		<form method="post" noValidate onSubmit={(event) => void submit(event)} className="flex flex-col gap-3">
			<FormAlert id={alert} refusal={refusal} />
			{refusal === TEXTS.invalid && <NewLink />}
			<NewPasswordFields fresh={fresh} repeat={repeat} describedBy={alert} />
			<button type="submit" aria-disabled={busy} className={buttonClass("primary", "h-9")}>
				{busy ? signInTexts.newPassword.busy : signInTexts.newPassword.submit}
			</button>
		</form>
	);
}
