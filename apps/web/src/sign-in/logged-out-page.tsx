import { type ReactNode, useEffect, useState } from "react";
import { clearStamp, readStamp } from "../auth/renewal-stamp.ts";
import { config } from "../lib/config.ts";
import { signInTexts } from "../texts/sign-in-en.ts";
import { buttonClass } from "../ui/button-class.ts";
import { findCurrentUser } from "./current-user.ts";
import { logInFormHref, openReturnUrl, signInHref } from "./return-url-links.ts";
import { SignInError } from "./sign-in-error.tsx";
import { SignInLayout } from "./sign-in-layout.tsx";

const TEXTS = signInTexts.loggedOut;

/** The page after a log-out, from which nothing signs in again automatically. */
export function LoggedOutPage(): ReactNode {
	// Whoever only typed the address may be logged in.
	const [isChecking, setChecking] = useState(readStamp() !== undefined);
	useEffect(() => {
		if (readStamp() === undefined) return;
		void findCurrentUser().then((me) => {
			if (me !== undefined) return openReturnUrl();
			clearStamp();
			setChecking(false);
		});
	}, []);
	if (isChecking) return null;
	// Where passwords are off a provider's refusal leads here, from which nothing goes back to the provider by itself.
	const hasFailed = new URLSearchParams(location.search).has("error");
	return (
		<SignInLayout title={hasFailed ? TEXTS.failedTitle : TEXTS.title}>
			<SignInError />
			{!hasFailed && <p className="text-muted">{TEXTS.text}</p>}
			{!hasFailed && config.auth.providers.length > 0 && <p className="text-muted">{TEXTS.elsewhere}</p>}
			<a href={hasFailed ? logInFormHref() : signInHref("login")} className={buttonClass("primary", "h-9")}>
				{hasFailed ? signInTexts.forgot.back : TEXTS.again}
			</a>
		</SignInLayout>
	);
}
