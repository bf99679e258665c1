const SIGN_IN_PAGES = ["login", "forgot-password", "reset-password-with-token", "reset-password", "logout"] as const;
/** Where somebody who is logged in lets a program act for them. */
const PROGRAM_PAGES = ["oauth2/consent", "device"] as const;

export type SignInPage = (typeof SIGN_IN_PAGES)[number];
export type ProgramPage = (typeof PROGRAM_PAGES)[number];

/** Which page of sign-in is at `pathname`, if any. */
export function signInPageAt(pathname: string, basePath: string): SignInPage | undefined {
	return SIGN_IN_PAGES.find((page) => page === nameOf(pathname, basePath));
}

/** Which page for programs is at `pathname`, if any. */
export function programPageAt(pathname: string, basePath: string): ProgramPage | undefined {
	return PROGRAM_PAGES.find((page) => page === nameOf(pathname, basePath));
}

function nameOf(pathname: string, basePath: string): string | undefined {
	if (!pathname.startsWith(`${basePath}/`)) return;
	return pathname.slice(basePath.length + 1).replace(/\/+$/, "");
}
