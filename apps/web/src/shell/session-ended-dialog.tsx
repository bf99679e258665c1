import { Dialog as Base } from "@base-ui/react/dialog";
import type { ReactNode } from "react";
import type { Me } from "../auth/me.ts";
import { currentPage } from "../auth/return-url.ts";
import { continueAs, redirectAndReturn } from "../auth/session-end.ts";
import { config } from "../lib/config.ts";
import { LogInForm } from "../sign-in/log-in-form.tsx";
import { ProviderLinks } from "../sign-in/provider-links.tsx";
import { signInTexts } from "../texts/sign-in-en.ts";
import { buttonClass } from "../ui/button-class.ts";

const TEXTS = signInTexts.expired;

/** Shown over a page with typed text when the session ended: logging in here keeps that text. */
export function SessionEndedDialog({ me }: { me: Me | undefined }): ReactNode {
	return (
		<Base.Root open>
			<Base.Portal>
				<Base.Backdrop className="fixed inset-0 z-50 bg-shade" />
				<Base.Popup
					data-keeps-keys
					className="popup-surface fixed top-[12vh] left-1/2 z-50 flex max-h-[76vh] w-[min(24rem,calc(100vw-1rem))] -translate-x-1/2 flex-col gap-3 overflow-auto p-5"
				>
					<Base.Title className="font-semibold text-lg">{TEXTS.title}</Base.Title>
					<Base.Description className="text-muted">{TEXTS.text}</Base.Description>
					{me && <OwnWay me={me} />}
					<button type="button" className={buttonClass("quiet")} onClick={() => void redirectAndReturn("/login")}>
						{TEXTS.leave}
					</button>
				</Base.Popup>
			</Base.Portal>
		</Base.Root>
	);
}

/** How this user logs in, if the server still offers it. */
function OwnWay({ me }: { me: Me }): ReactNode {
	const { passwordLogin, ldap, providers } = config.auth;
	const accept = (user: Me) => {
		if (user.passwordNeedsReset) void redirectAndReturn("/reset-password");
		else continueAs(user.id);
	};
	if (me.authMethod === "LOCAL") {
		return passwordLogin && <LogInForm way="password" name={me.email} onLoggedIn={accept} />;
	}
	if (me.authMethod === "LDAP") return ldap && <LogInForm way="ldap" onLoggedIn={accept} />;
	const own = providers.filter(({ id }) => id === me.provider);
	const offered = own.length > 0 ? own : providers;
	return (
		offered.length > 0 && (
			<>
				<ProviderLinks providers={offered} returnUrl={currentPage(location, config.basePath)} inNewTab />
				<p className="text-muted text-sm">{TEXTS.newTab}</p>
			</>
		)
	);
}
