import type { ReactNode } from "react";
import { config, type SignInProvider } from "../lib/config.ts";
import { signInTexts } from "../texts/sign-in-en.ts";
import { buttonClass } from "../ui/button-class.ts";

/** Where signing in with a provider begins; it leads back to `returnUrl`, a path below the base path. */
export function providerHref({ id }: SignInProvider, returnUrl: string | null): string {
	const search = returnUrl === null || returnUrl === "/" ? "" : `?returnUrl=${encodeURIComponent(returnUrl)}`;
	return `${config.basePath}/oauth2/${encodeURIComponent(id)}/login${search}`;
}

export interface ProviderLinksProps {
	readonly providers: readonly SignInProvider[];
	readonly returnUrl: string | null;
	/** Keeps the page that is open. */
	readonly inNewTab?: boolean;
}

/** One link a provider, in the server's order. */
export function ProviderLinks({ providers, returnUrl, inNewTab = false }: ProviderLinksProps): ReactNode {
	return (
		<ul className="flex flex-col gap-2">
			{providers.map((provider) => (
				<li key={provider.id} className="flex">
					<a
						href={providerHref(provider, returnUrl)}
						{...(inNewTab ? { target: "_blank", rel: "noopener" } : {})}
						className={buttonClass(
							"plain",
							"h-auto min-h-9 w-full whitespace-normal py-1.5 text-center [overflow-wrap:anywhere]",
						)}
					>
						{signInTexts.logIn.with(provider.name)}
					</a>
				</li>
			))}
		</ul>
	);
}
