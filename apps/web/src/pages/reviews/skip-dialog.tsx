import { type ReactNode, type SyntheticEvent, useState } from "react";
import { reviewTexts } from "../../texts/reviews-en.ts";
import { Button } from "../../ui/button.tsx";
import { Dialog } from "../../ui/dialog.tsx";
import { Field, Input } from "../../ui/input.tsx";

const TEXTS = reviewTexts.skip;
const REASONS = ["notSure", "broken", "notApplicable"] as const;

/** Asks why an item is left to somebody else. */
export function SkipDialog({ onSkip, onClose }: { onSkip: (reason: string) => void; onClose: () => void }): ReactNode {
	const [words, setWords] = useState("");
	const submit = (event: SyntheticEvent) => {
		event.preventDefault();
		if (words.trim() !== "") onSkip(words.trim());
	};
	return (
		<Dialog open onOpenChange={onClose} title={TEXTS.title}>
			<div className="flex flex-col gap-3 overflow-auto p-4">
				<p className="text-muted">{TEXTS.text}</p>
				<div className="flex flex-wrap gap-2">
					{REASONS.map((reason) => (
						<Button key={reason} onClick={() => onSkip(TEXTS.reason[reason])}>
							{TEXTS.reason[reason]}
						</Button>
					))}
				</div>
				<form onSubmit={submit} className="flex items-end gap-2">
					<div className="min-w-0 flex-1">
						<Field label={TEXTS.ownWords}>
							<Input
								value={words}
								maxLength={1_000}
								onChange={(event) => setWords(event.target.value)}
								className="w-full"
							/>
						</Field>
					</div>
					<Button type="submit" look="primary" disabled={words.trim() === ""}>
						{TEXTS.skip}
					</Button>
				</form>
			</div>
		</Dialog>
	);
}
