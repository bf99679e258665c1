import { type ReactNode, useId } from "react";
import { copyingTexts as TEXTS } from "../texts/copying-en.ts";
import { texts } from "../texts/en.ts";
import { Button } from "../ui/button.tsx";
import { Dialog } from "../ui/dialog.tsx";
import { FormError } from "../ui/form-error.tsx";
import type { Uncopied } from "./copy-menu.tsx";

/** The text that the browser did not let the page copy, in a field, or why there is none. */
export function UncopiedDialog({ uncopied, onClose }: { uncopied: Uncopied; onClose: () => void }): ReactNode {
	const hint = useId();
	const hasText = "text" in uncopied;
	return (
		<Dialog
			open
			onOpenChange={onClose}
			title={hasText ? TEXTS.refusedTitle : TEXTS.failedTitle}
			className="w-[min(44rem,calc(100vw-1rem))]"
		>
			<div className="flex min-h-0 flex-col gap-3 p-4">
				{hasText ? (
					<>
						<p id={hint} className="text-muted">
							{TEXTS.refusedText}
						</p>
						<textarea
							readOnly
							aria-label={TEXTS.field}
							aria-describedby={hint}
							value={uncopied.text}
							rows={12}
							onFocus={(event) => event.currentTarget.select()}
							className="min-h-0 w-full rounded border border-line bg-surface p-2 font-mono text-sm leading-5"
						/>
					</>
				) : (
					<FormError error={uncopied.error} />
				)}
				<div className="flex justify-end">
					<Button onClick={onClose}>{texts.action.close}</Button>
				</div>
			</div>
		</Dialog>
	);
}
