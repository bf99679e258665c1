import { type ReactNode, useId } from "react";
import { settingsTexts } from "../../../texts/settings-en.ts";
import type { Outcome } from "../../../ui/outcome-icon.tsx";
import { OutcomeMark } from "./outcome-mark.tsx";
import type { SignInProvider } from "./sign-in-queries.ts";
import { FactList } from "./step-list.tsx";

/** The card of a way to sign in: name, state and details. */
export function Card({
	title,
	outcome,
	children,
}: {
	title: string;
	outcome: Outcome;
	children: ReactNode;
}): ReactNode {
	const heading = useId();
	return (
		<section aria-labelledby={heading} className="flex flex-col gap-3 rounded-md border border-line p-4">
			<div className="flex flex-wrap items-center gap-x-4 gap-y-1">
				<h2 id={heading} className="min-w-0 flex-1 font-semibold text-lg [overflow-wrap:anywhere]">
					{title}
				</h2>
				<OutcomeMark outcome={outcome} />
			</div>
			{children}
		</section>
	);
}

/** All variables with their effective values. */
export function EffectiveSettings({ settings }: { settings: SignInProvider["settings"] }): ReactNode {
	return (
		<details>
			<summary className="w-fit cursor-pointer text-muted">{settingsTexts.signIn.settings(settings.length)}</summary>
			<FactList facts={settings} />
		</details>
	);
}
