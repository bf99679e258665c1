import { type ReactNode, useEffect, useState } from "react";
import { clearStamp, readStamp } from "../auth/renewal-stamp.ts";
import { config } from "../lib/config.ts";
import { signInTexts } from "../texts/sign-in-en.ts";
import { buttonClass } from "../ui/button-class.ts";
import { findCurrentUser } from "./current-user.ts";
import { goOn } from "./go-on.ts";
import { SignInError } from "./sign-in-error.tsx";
import { SignInLayout } from "./sign-in-layout.tsx";

const TEXTS = signInTexts.loggedOut;

/** Where log-out ends; nothing signs in again from here by itself. */
export function LoggedOutPage(): ReactNode {
	// Whoever only typed the address may be logged in.
	const [isChecking, setChecking] = useState(readStamp() !== undefined);
	useEffect(() => {
		if (readStamp() === undefined) return;
		void findCurrentUser().then((me) => {
			if (me !== undefined) return goOn();
			clearStamp();
			setChecking(false);
		});
	}, []);
	if (isChecking) return null;
	return (
		<SignInLayout title={TEXTS.title}>
			<SignInError />
			<p className="text-muted">{TEXTS.text}</p>
			<a href={`${config.basePath}/login`} className={buttonClass("primary", "h-9")}>
				{TEXTS.again}
			</a>
		</SignInLayout>
	);
}
