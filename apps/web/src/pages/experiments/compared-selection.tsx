import ListChecks from "lucide-react/icons/list-checks";
import X from "lucide-react/icons/x";
import { type ReactNode, Suspense, useState } from "react";
import { dataTexts } from "../../texts/data-en.ts";
import { selectingTexts } from "../../texts/selecting-en.ts";
import { Button, IconButton } from "../../ui/button.tsx";
import { lazyPart } from "../../ui/lazy-part.tsx";
import type { ComparedRow } from "./queries.ts";

const ReviewRunsDialog = lazyPart(() => import("./review-runs-dialog.tsx"), "ReviewRunsDialog", { isOver: true });

const TEXTS = dataTexts.compare;

/** The foot of a comparison with selected examples: how many runs they have, and what can be done with these. */
export function ComparedSelection({ rows, onClear }: { rows: readonly ComparedRow[]; onClear: () => void }): ReactNode {
	const [isReviewing, setIsReviewing] = useState(false);
	const close = () => setIsReviewing(false);
	const runs = rows.flatMap((row) => row.experiments.flatMap((each) => each.runs.map(({ id }) => id)));
	return (
		<section
			aria-label={selectingTexts.bar}
			className="flex shrink-0 flex-wrap items-center gap-x-2 gap-y-1 border-line border-t bg-sunken px-3 py-1.5"
		>
			<span role="status" className="font-medium">
				{TEXTS.selected(rows.length, runs.length)}
			</span>
			<IconButton label={selectingTexts.clear} shortcut="Esc" onClick={onClear}>
				<X size={16} aria-hidden />
			</IconButton>
			<Button className="ml-auto" disabled={runs.length === 0} onClick={() => setIsReviewing(true)}>
				<ListChecks size={14} aria-hidden />
				{selectingTexts.action.review}
			</Button>
			<Suspense>
				{isReviewing && (
					<ReviewRunsDialog
						what={{ runs }}
						onAdded={() => {
							close();
							onClear();
						}}
						onClose={close}
					/>
				)}
			</Suspense>
		</section>
	);
}
