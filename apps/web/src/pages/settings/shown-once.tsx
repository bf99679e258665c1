import type { ReactNode } from "react";
import { texts } from "../../texts/en.ts";
import { CopyButton } from "../../ui/copy-button.tsx";

/** A secret that is shown only once. */
export function ShownOnce({ label, text, secret }: { label: string; text: string; secret: string }): ReactNode {
	return (
		<>
			<p role="status" className="rounded bg-warn-soft px-3 py-2 text-warn">
				{text}
			</p>
			<section
				aria-label={label}
				// Focused first, so that pressing Enter twice on the previous form copies the secret, and does not close the dialog.
				data-first
				className="flex items-center gap-1 rounded border border-line bg-sunken py-1 pr-1 pl-3"
			>
				<code className="min-w-0 flex-1 font-mono text-sm [overflow-wrap:anywhere]">{secret}</code>
				<CopyButton text={secret} label={texts.action.copyNamed(label)} />
			</section>
		</>
	);
}
