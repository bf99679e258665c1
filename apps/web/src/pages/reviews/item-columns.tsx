import type { ReviewItem, ReviewQueue } from "@spanward/client";
import { Link } from "@tanstack/react-router";
import type { ReactNode } from "react";
import { reviewTexts as TEXTS } from "../../texts/reviews-en.ts";
import { Chip, type ChipTone } from "../../ui/chip.tsx";
import type { GridColumn } from "../../ui/grid-columns.ts";
import { RelativeTime } from "../../ui/relative-time.tsx";
import { rowLink } from "../../ui/row-link.ts";
import { answersText } from "./answer-text.ts";

const TONES: Readonly<Record<ReviewItem["state"], ChipTone>> = {
	pending: "plain",
	in_review: "accent",
	disagreement: "warn",
	done: "plain",
	removed: "danger",
};

export function StateChip({ state }: Pick<ReviewItem, "state">): ReactNode {
	return <Chip tone={TONES[state]}>{TEXTS.state[state]}</Chip>;
}

/** What the target is called, as a link to the item, and its id. */
function Target({ queue, item: { id, target } }: { queue: ReviewQueue; item: ReviewItem }): ReactNode {
	return (
		<span className="flex min-w-0 items-baseline gap-2">
			<Link
				to="/reviews/$queue/items/$item"
				params={{ queue: queue.id, item: id }}
				title={target.name ?? target.id}
				{...rowLink("truncate font-medium")}
			>
				{target.name ?? target.id}
			</Link>
			{target.name !== null && <span className="truncate font-mono text-muted text-sm">{target.id}</span>}
		</span>
	);
}

/** The columns of the items of a queue. @param isShort only what a phone has room for */
export function itemColumns(queue: ReviewQueue, isShort: boolean): readonly GridColumn<ReviewItem>[] {
	const all: (GridColumn<ReviewItem> & { readonly isLong?: true })[] = [
		{
			key: "target",
			title: TEXTS.targets[queue.target],
			width: 120,
			grow: 2,
			cell: (item) => <Target queue={queue} item={item} />,
		},
		{ key: "state", title: TEXTS.column.state, width: 110, cell: (item) => <StateChip state={item.state} /> },
		{
			key: "turns",
			title: TEXTS.column.turns,
			width: 90,
			align: "right",
			cell: ({ turns_done }) => TEXTS.turnsOf(turns_done, queue.reviews_required),
		},
		{
			key: "answers",
			title: TEXTS.column.answers,
			width: 160,
			grow: 3,
			isLong: true,
			cell: (item) => <span className="truncate text-muted">{answersText(item)}</span>,
		},
		...(queue.order === "priority"
			? [
					{
						key: "priority",
						title: TEXTS.column.priority,
						width: 80,
						align: "right" as const,
						isLong: true as const,
						cell: ({ priority }: ReviewItem) => priority,
					},
				]
			: []),
		{
			key: "added",
			title: TEXTS.column.added,
			width: 100,
			align: "right",
			isLong: true,
			cell: ({ created_at }) => <RelativeTime time={created_at} className="text-muted" />,
		},
	];
	return all.filter(({ isLong }) => !isShort || isLong === undefined).map(({ isLong: _, ...column }) => column);
}
