import Bot from "lucide-react/icons/bot";
import Check from "lucide-react/icons/check";
import ClipboardCopy from "lucide-react/icons/clipboard-copy";
import { type ReactNode, Suspense, useEffect, useState } from "react";
import { loadPart } from "../lib/load-part.ts";
import { copyingTexts as TEXTS } from "../texts/copying-en.ts";
import { IconButton } from "../ui/button.tsx";
import { copyText } from "../ui/copy-button.tsx";
import { lazyPart } from "../ui/lazy-part.tsx";
import { Menu, MenuItem, MenuLabel, MenuSeparator } from "../ui/menu.tsx";
import { type Copied, type CopiedForm, FORMS } from "./copied.ts";

const UncopiedDialog = lazyPart(() => import("./uncopied-dialog.tsx"), "UncopiedDialog", { isOver: true });
const SHOWN_MS = 2_000;

/** Why nothing is on the clipboard: the text that the browser refused, or the error of making it. */
export type Uncopied = { readonly text: string } | { readonly error: Error };

/** A menu that copies what the page shows: as text for an agent, and as code that asks for it. */
export function CopyMenu({
	copied,
	label = TEXTS.trigger,
	className,
}: {
	copied: Copied;
	label?: string;
	className?: string;
}): ReactNode {
	const [done, setDone] = useState<CopiedForm>();
	const [uncopied, setUncopied] = useState<Uncopied>();
	useEffect(() => {
		if (done === undefined) return;
		const timer = setTimeout(() => setDone(undefined), SHOWN_MS);
		return () => clearTimeout(timer);
	}, [done]);
	const copy = (form: CopiedForm) => {
		const text = loadPart(() => import("./copied-text.ts")).then(({ copiedText }) => copiedText(copied, form));
		copyText(text).then(
			() => setDone(form),
			// Which of the two failed tells the promise of the text.
			() =>
				text.then(
					(made) => setUncopied({ text: made }),
					(error) => setUncopied({ error: asError(error) }),
				),
		);
	};
	return (
		<>
			<Menu
				align="end"
				trigger={
					<IconButton label={label} className={className}>
						{done === undefined ? (
							<ClipboardCopy size={14} aria-hidden />
						) : (
							<Check size={14} aria-hidden className="text-ok" />
						)}
					</IconButton>
				}
			>
				<MenuItem icon={<Bot size={14} aria-hidden />} onClick={() => copy("agent")}>
					{TEXTS.agent}
				</MenuItem>
				<MenuSeparator />
				<MenuLabel>{TEXTS.as}</MenuLabel>
				{FORMS.map(
					(form) =>
						form !== "agent" && (
							<MenuItem key={form} onClick={() => copy(form)}>
								{TEXTS.form[form]}
							</MenuItem>
						),
				)}
			</Menu>
			<span role="status" className="sr-only">
				{done !== undefined && TEXTS.copied(done === "agent" ? TEXTS.agentText : TEXTS.form[done])}
			</span>
			<Suspense>{uncopied && <UncopiedDialog uncopied={uncopied} onClose={() => setUncopied(undefined)} />}</Suspense>
		</>
	);
}

function asError(error: unknown): Error {
	return error instanceof Error ? error : new Error(String(error));
}
