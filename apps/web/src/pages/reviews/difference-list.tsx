import type { ReviewDifference } from "@spanward/client";
import { Link } from "@tanstack/react-router";
import Download from "lucide-react/icons/download";
import type { ReactNode } from "react";
import { formatScore } from "../../annotating/annotation-value.tsx";
import { texts } from "../../texts/en.ts";
import { reviewTexts } from "../../texts/reviews-en.ts";
import { Button } from "../../ui/button.tsx";
import { buttonClass } from "../../ui/button-class.ts";
import { FormError } from "../../ui/form-error.tsx";
import type { PagedQuery } from "../../ui/list-pages.tsx";
import { Table, type TableColumn } from "../../ui/table.tsx";
import { type Calibrated, differencesUrl } from "./figures.ts";

const TEXTS = reviewTexts.calibration;

/** The items where annotations and gold differ, each with the way to it, and all of them as a file. */
export function DifferenceList({
	queueId,
	compared,
	differences,
	query,
}: {
	queueId: string;
	compared: Calibrated;
	differences: readonly ReviewDifference[];
	query: PagedQuery;
}): ReactNode {
	return (
		<section aria-labelledby="differences" className="flex flex-col gap-2">
			<div className="flex flex-wrap items-center justify-between gap-2">
				<h2 id="differences" className="font-semibold">
					{TEXTS.differences}
				</h2>
				{differences.length > 0 && (
					<a download href={differencesUrl(queueId, compared)} className={buttonClass()}>
						<Download size={14} aria-hidden />
						{TEXTS.file}
					</a>
				)}
			</div>
			{differences.length === 0 ? (
				<p className="text-muted">{TEXTS.noDifference}</p>
			) : (
				<Table
					label={TEXTS.differences}
					columns={columnsOf(queueId)}
					rows={differences}
					rowKey={({ item_id }) => item_id}
				/>
			)}
			<FormError error={query.isFetchNextPageError ? query.error : null} />
			{query.hasNextPage && (
				<Button disabled={query.isFetchingNextPage} onClick={() => void query.fetchNextPage()}>
					{texts.state.more(TEXTS.more)}
				</Button>
			)}
		</section>
	);
}

function columnsOf(queueId: string): TableColumn<ReviewDifference>[] {
	return [
		{
			key: "item",
			title: TEXTS.item,
			className: "max-sm:w-32",
			cell: ({ item_id, target }) => (
				<Link
					to="/reviews/$queue/items/$item"
					params={{ queue: queueId, item: item_id }}
					className="block truncate font-mono text-accent text-sm hover:underline"
				>
					{target.id}
				</Link>
			),
		},
		{
			key: "gold",
			title: TEXTS.gold,
			className: "w-1/6 max-sm:w-auto",
			cell: ({ gold }) => (
				<>
					{valueText(gold)}{" "}
					<span className="text-muted text-sm">{gold.is_decision ? TEXTS.decided : TEXTS.agreed}</span>
				</>
			),
		},
		{
			key: "judged",
			title: TEXTS.annotation,
			className: "w-1/6 max-sm:w-auto",
			cell: ({ judged }) => valueText(judged),
		},
		{
			key: "explanation",
			title: TEXTS.explanation,
			className: "w-2/5 max-sm:hidden",
			cell: ({ judged }) => <span title={judged.explanation ?? undefined}>{judged.explanation}</span>,
		},
	];
}

function valueText({ label, score }: Pick<ReviewDifference["gold"], "label" | "score">): string {
	return label ?? (score === null ? "" : formatScore(score));
}
