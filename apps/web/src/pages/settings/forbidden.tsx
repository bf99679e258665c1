import { Link } from "@tanstack/react-router";
import type { ReactNode } from "react";
import { useMe } from "../../lib/me.ts";
import { settingsTexts as TEXTS } from "../../texts/settings-en.ts";
import { buttonClass } from "../../ui/button-class.ts";

/** Shown in place of a section that this role may not open. */
export function Forbidden({ section }: { section: string }): ReactNode {
	const me = useMe();
	return (
		<div className="flex flex-col items-center gap-2 p-12 text-center">
			<h1 className="font-semibold text-xl">{TEXTS.forbidden(section)}</h1>
			<p className="text-muted">{TEXTS.forbiddenText(TEXTS.role[me?.role ?? "VIEWER"])}</p>
			<Link to="/settings/account" className={buttonClass("primary", "mt-2")}>
				{TEXTS.backToAccount}
			</Link>
		</div>
	);
}

/** Shown in place of a section about accounts while authentication is off. */
export function AuthOff(): ReactNode {
	return (
		<div className="mx-auto flex w-full max-w-2xl flex-col gap-3 p-4">
			<h1 className="font-semibold text-xl">{TEXTS.authOff}</h1>
			<AuthOffNote />
			<Link to="/settings/ingest" className={buttonClass("primary", "self-start")}>
				{TEXTS.backToIngest}
			</Link>
		</div>
	);
}

/** How to switch authentication on. */
export function AuthOffNote(): ReactNode {
	return (
		<>
			<p>{TEXTS.authOffText}</p>
			<pre className="overflow-x-auto rounded border border-line bg-sunken p-3 font-mono text-sm">
				{`SERVICE_ENABLE_AUTH=true\nSERVICE_SECRET=<${TEXTS.authOffSecret}>`}
			</pre>
			<p className="text-muted">{TEXTS.authOffAfter}</p>
		</>
	);
}
