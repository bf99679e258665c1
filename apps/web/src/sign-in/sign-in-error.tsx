import type { ReactNode } from "react";
import { signInTexts } from "../texts/sign-in-en.ts";
import { FormAlert } from "./form-alert.tsx";

/** What `?error=<code>` says, which sign-in elsewhere comes back with. The text is ours: anybody can write an address. */
export function SignInError(): ReactNode {
	const code = new URLSearchParams(location.search).get("error");
	if (code === null) return null;
	const known = Object.hasOwn(signInTexts.errors, code) ? signInTexts.errors[code] : undefined;
	return <FormAlert id="sign-in-error" refusal={known ?? signInTexts.unknownError} />;
}
