import type { ReactNode } from "react";
import { config } from "../lib/config.ts";
import { signInTexts } from "../texts/sign-in-en.ts";
import { buttonClass } from "../ui/button-class.ts";
import { SignInError } from "./sign-in-error.tsx";
import { SignInLayout } from "./sign-in-layout.tsx";

const TEXTS = signInTexts.loggedOut;

/** Where log-out ends; nothing signs in again from here by itself. */
export function LoggedOutPage(): ReactNode {
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
