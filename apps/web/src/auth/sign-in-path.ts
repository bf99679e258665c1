const SIGN_IN_PAGES = ["login", "forgot-password", "reset-password-with-token", "reset-password", "logout"] as const;

export type SignInPage = (typeof SIGN_IN_PAGES)[number];

/** Which page of sign-in is at `pathname`, if any. */
export function signInPageAt(pathname: string, basePath: string): SignInPage | undefined {
	if (!pathname.startsWith(`${basePath}/`)) return;
	const name = pathname.slice(basePath.length + 1).replace(/\/+$/, "");
	return SIGN_IN_PAGES.find((page) => page === name);
}
