import { type ReactNode, StrictMode } from "react";
import { createRoot } from "react-dom/client";
import type { SignInPage } from "../auth/sign-in-path.ts";
import { ForgotPage } from "./forgot-page.tsx";
import { keepReturnUrl } from "./kept-return-url.ts";
import { LogInPage } from "./log-in-page.tsx";
import { LoggedOutPage } from "./logged-out-page.tsx";
import { NewPasswordPage } from "./new-password-page.tsx";
import { ResetPage } from "./reset-page.tsx";

const PAGES: Record<SignInPage, () => ReactNode> = {
	login: LogInPage,
	"forgot-password": ForgotPage,
	"reset-password-with-token": ResetPage,
	"reset-password": NewPasswordPage,
	logout: LoggedOutPage,
};

/** Draws a page of sign-in. Going from one to another loads the page anew. */
export function renderSignIn(element: HTMLElement, page: SignInPage): void {
	const Page = PAGES[page];
	keepReturnUrl();
	createRoot(element).render(
		<StrictMode>
			<Page />
		</StrictMode>,
	);
}
