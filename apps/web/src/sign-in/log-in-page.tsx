import { type ReactNode, useEffect, useEffectEvent, useState } from "react";
import { clearStamp, readStamp } from "../auth/renewal-stamp.ts";
import { onTabMessage } from "../auth/tabs.ts";
import type { Me } from "../auth/who.ts";
import { config } from "../lib/config.ts";
import { signInTexts } from "../texts/sign-in-en.ts";
import { findCurrentUser } from "./current-user.ts";
import { goOn, signInHref } from "./go-on.ts";
import { LogInForm } from "./log-in-form.tsx";
import { NewPasswordForm } from "./new-password-form.tsx";
import { SignInError } from "./sign-in-error.tsx";
import { SignInLayout } from "./sign-in-layout.tsx";

const TEXTS = signInTexts.logIn;

/** Email and password; who is logged in already goes on at once. */
export function LogInPage(): ReactNode {
	// Where somebody probably is logged in the form would only flash.
	const [isChecking, setChecking] = useState(readStamp() !== undefined);
	const [due, setDue] = useState<{ me: Me; password: string | undefined }>();
	const accept = useEffectEvent((me: Me, password?: string) => {
		if (!me.passwordNeedsReset) return goOn();
		history.replaceState(null, "", signInHref("reset-password"));
		setDue({ me, password });
	});
	useEffect(() => {
		const check = async () => {
			const me = await findCurrentUser();
			if (me !== undefined) return accept(me);
			clearStamp();
			setChecking(false);
		};
		void check();
		return onTabMessage(({ kind }) => kind === "logged-in" && void check());
	}, []);
	if (due !== undefined) {
		return (
			<SignInLayout title={signInTexts.newPassword.title}>
				<NewPasswordForm me={due.me} current={due.password} />
			</SignInLayout>
		);
	}
	if (isChecking) return null;
	return (
		<SignInLayout title={TEXTS.title}>
			<SignInError />
			{config.auth.passwordLogin ? <PasswordLogIn onLoggedIn={accept} /> : <p>{TEXTS.noPasswords}</p>}
		</SignInLayout>
	);
}

function PasswordLogIn({ onLoggedIn }: { onLoggedIn: (me: Me, password: string) => void }): ReactNode {
	const { passwordMail, supportEmail } = config.auth;
	return (
		<>
			<LogInForm onLoggedIn={onLoggedIn} />
			{passwordMail ? (
				<a href={signInHref("forgot-password")} className="self-start text-accent hover:underline">
					{TEXTS.forgot}
				</a>
			) : (
				<p className="text-muted text-sm">
					{supportEmail === undefined ? (
						TEXTS.askAdmin
					) : (
						<>
							{TEXTS.askAdminAt}{" "}
							<a href={`mailto:${encodeURIComponent(supportEmail)}`} className="text-accent hover:underline">
								{supportEmail}
							</a>
						</>
					)}
				</p>
			)}
		</>
	);
}
