import { Dialog as Base } from "@base-ui/react/dialog";
import type { ReactNode } from "react";
import { continueAs, leaveAndReturn } from "../auth/session-end.ts";
import type { Me } from "../auth/who.ts";
import { config } from "../lib/config.ts";
import { LogInForm } from "../sign-in/log-in-form.tsx";
import { signInTexts } from "../texts/sign-in-en.ts";
import { buttonClass } from "../ui/button-class.ts";

const TEXTS = signInTexts.expired;

/** Over a page on which something was typed when the session ended: logging in here loses nothing of it. */
export function SessionEndedDialog({ email }: { email: string | undefined }): ReactNode {
	const accept = (me: Me) => {
		if (me.passwordNeedsReset) void leaveAndReturn("/reset-password");
		else continueAs(me.id);
	};
	return (
		<Base.Root open>
			<Base.Portal>
				<Base.Backdrop className="fixed inset-0 z-50 bg-shade" />
				<Base.Popup
					data-keeps-keys
					className="popup-surface fixed top-[12vh] left-1/2 z-50 flex w-[min(24rem,calc(100vw-1rem))] -translate-x-1/2 flex-col gap-3 p-5"
				>
					<Base.Title className="font-semibold text-lg">{TEXTS.title}</Base.Title>
					<Base.Description className="text-muted">{TEXTS.text}</Base.Description>
					{config.auth.passwordLogin && <LogInForm email={email} onLoggedIn={accept} />}
					<button type="button" className={buttonClass("quiet")} onClick={() => void leaveAndReturn("/login")}>
						{TEXTS.leave}
					</button>
				</Base.Popup>
			</Base.Portal>
		</Base.Root>
	);
}
