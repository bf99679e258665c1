import { type ReactNode, useEffect, useState } from "react";
import type { Me } from "../auth/me.ts";
import { signInTexts } from "../texts/sign-in-en.ts";
import { findCurrentUser } from "./current-user.ts";
import { NewPasswordForm } from "./new-password-form.tsx";
import { openReturnUrl, signInHref } from "./return-url-links.ts";
import { SignInLayout } from "./sign-in-layout.tsx";

/** Makes a logged-in user set a new password if one is due; redirects everybody else. */
export function NewPasswordPage(): ReactNode {
	const [me, setMe] = useState<Me>();
	useEffect(() => {
		void findCurrentUser().then((user) => {
			if (user === undefined) location.replace(signInHref("login"));
			else if (user.passwordNeedsReset) setMe(user);
			else openReturnUrl();
		});
	}, []);
	if (me === undefined) return null;
	return (
		<SignInLayout title={signInTexts.newPassword.title}>
			<NewPasswordForm me={me} current={undefined} />
		</SignInLayout>
	);
}
