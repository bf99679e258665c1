import { type ReactNode, useEffect, useEffectEvent, useState } from "react";
import { autoLogIn, noteAutoLogIn } from "../auth/auto-log-in.ts";
import type { Me } from "../auth/me.ts";
import { clearStamp, readStamp } from "../auth/renewal-stamp.ts";
import { onTabMessage } from "../auth/tabs.ts";
import { config } from "../lib/config.ts";
import { signInTexts } from "../texts/sign-in-en.ts";
import { findCurrentUser } from "./current-user.ts";
import { FormAlert } from "./form-alert.tsx";
import { LogInForm } from "./log-in-form.tsx";
import { firstWay, LOG_IN_WAYS, type LogInWay } from "./log-in-ways.ts";
import { NewPasswordForm } from "./new-password-form.tsx";
import { ProviderLinks, providerHref } from "./provider-links.tsx";
import { openReturnUrl, returnUrlParam, signInHref } from "./return-url-links.ts";
import { SignInError } from "./sign-in-error.tsx";
import { SignInLayout } from "./sign-in-layout.tsx";
import { WaySwitch } from "./way-switch.tsx";

const TEXTS = signInTexts.logIn;

/** All ways to log in; a user who is logged in already is redirected at once. */
export function LogInPage(): ReactNode {
	const [auto] = useState(() => autoLogIn(location.search));
	// Where somebody probably is logged in, or will be elsewhere, the form would only flash.
	const [isChecking, setChecking] = useState(readStamp() !== undefined || auto.kind === "due");
	const [due, setDue] = useState<{ me: Me; password: string | undefined }>();
	const accept = useEffectEvent((me: Me, password?: string) => {
		if (!me.passwordNeedsReset) return openReturnUrl();
		history.replaceState(null, "", signInHref("reset-password"));
		setDue({ me, password });
	});
	useEffect(() => {
		const check = async () => {
			const me = await findCurrentUser();
			if (me !== undefined) return accept(me);
			clearStamp();
			if (auto.kind === "due" && noteAutoLogIn()) location.replace(providerHref(auto.to, returnUrlParam()));
			else setChecking(false);
		};
		void check();
		return onTabMessage(({ kind }) => kind === "logged-in" && void check());
	}, [auto]);
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
			{auto.kind === "returned" && <FormAlert id="came-back" refusal={TEXTS.cameBack(auto.to.name)} />}
			<Ways onLoggedIn={accept} />
		</SignInLayout>
	);
}

function Ways({ onLoggedIn }: { onLoggedIn: (me: Me, password: string) => void }): ReactNode {
	const [way, setWay] = useState(firstWay);
	const { providers } = config.auth;
	return (
		<>
			{way !== undefined && (
				<>
					{LOG_IN_WAYS.length > 1 && <WaySwitch way={way} onChange={setWay} />}
					<LogInForm way={way} onLoggedIn={onLoggedIn} />
					<ForgottenPassword way={way} />
				</>
			)}
			{way !== undefined && providers.length > 0 && <Or />}
			{way === undefined && providers.length === 0 && <p>{signInTexts.refused.noPasswords}</p>}
			{providers.length > 0 && <ProviderLinks providers={providers} returnUrl={returnUrlParam()} />}
		</>
	);
}

function Or(): ReactNode {
	return (
		<p className="flex items-center gap-3 text-muted text-sm before:h-px before:flex-1 before:bg-line after:h-px after:flex-1 after:bg-line">
			{TEXTS.or}
		</p>
	);
}

function ForgottenPassword({ way }: { way: LogInWay }): ReactNode {
	const { passwordMail, supportEmail } = config.auth;
	if (way === "ldap") return <p className="text-muted text-sm">{TEXTS.askDirectory}</p>;
	if (passwordMail) {
		return (
			<a href={signInHref("forgot-password")} className="self-start text-accent hover:underline">
				{TEXTS.forgot}
			</a>
		);
	}
	if (supportEmail === undefined) return <p className="text-muted text-sm">{TEXTS.askAdmin}</p>;
	return (
		<p className="text-muted text-sm">
			{TEXTS.askAdminAt}{" "}
			<a href={`mailto:${encodeURIComponent(supportEmail)}`} className="text-accent hover:underline">
				{supportEmail}
			</a>
		</p>
	);
}
