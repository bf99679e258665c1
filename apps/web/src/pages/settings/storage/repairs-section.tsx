import type { StorageRepair } from "@spanward/client";
import { useInfiniteQuery, useMutation, useQueryClient } from "@tanstack/react-query";
import type { ReactNode } from "react";
import { formatInteger } from "../../../lib/format.ts";
import { repairTexts as TEXTS } from "../../../texts/repairs-en.ts";
import { Button } from "../../../ui/button.tsx";
import { Chip, type ChipTone } from "../../../ui/chip.tsx";
import { FormError } from "../../../ui/form-error.tsx";
import { Loaded } from "../../../ui/listed.tsx";
import { MoreRows } from "../../../ui/more-rows.tsx";
import { RelativeTime } from "../../../ui/relative-time.tsx";
import { Table, type TableColumn } from "../../../ui/table.tsx";
import { cancelRepair, isUnfinished, repairPages, startRepair } from "./repair-queries.ts";

/** Looking for damage of traces and repairing it, for admins. */
export function RepairsSection(): ReactNode {
	const query = useInfiniteQuery(repairPages);
	const repairs = query.data?.pages.flatMap((page) => page.data);
	return (
		<section aria-label={TEXTS.title} className="flex flex-col gap-2 border-line border-t pt-4">
			<h2 className="font-semibold text-lg">{TEXTS.title}</h2>
			<p className="max-w-2xl text-muted">{TEXTS.intro}</p>
			<Loaded data={repairs} query={query}>
				{(all) => (
					<>
						<Newest repair={all[0]} />
						{all.length > 0 && (
							<>
								<Table label={TEXTS.list} columns={COLUMNS} rows={all} rowKey={({ id }) => id} />
								<MoreRows query={query} what={TEXTS.more} />
							</>
						)}
					</>
				)}
			</Loaded>
		</section>
	);
}

/** What came of the newest one, or how far it is, and what to do next. */
function Newest({ repair }: { repair: StorageRepair | undefined }): ReactNode {
	const queries = useQueryClient();
	const refresh = () => queries.invalidateQueries({ queryKey: repairPages.queryKey });
	const start = useMutation({ mutationFn: startRepair, onSettled: refresh });
	const cancel = useMutation({ mutationFn: cancelRepair, onSettled: refresh });
	const runs = repair !== undefined && isUnfinished(repair);
	const isDamaged = repair?.status === "completed" && repair.dry_run && repair.found > 0;
	return (
		<div className="flex max-w-2xl flex-col gap-2">
			<p role="status">{repair === undefined ? TEXTS.none : outcomeOf(repair)}</p>
			{runs && (
				<>
					<progress aria-label={TEXTS.doing(repair)} className="h-1.5 w-full accent-accent" />
					<p className="text-muted text-sm tabular-nums">{TEXTS.counts(repair)}</p>
				</>
			)}
			<div className="flex flex-wrap gap-2">
				{runs ? (
					<Button disabled={cancel.isPending} onClick={() => cancel.mutate(repair)}>
						{TEXTS.cancel}
					</Button>
				) : (
					<>
						{isDamaged && (
							<Button look="primary" disabled={start.isPending} onClick={() => start.mutate(false)}>
								{TEXTS.repair}
							</Button>
						)}
						<Button disabled={start.isPending} onClick={() => start.mutate(true)}>
							{repair === undefined ? TEXTS.look : TEXTS.lookAgain}
						</Button>
					</>
				)}
			</div>
			<FormError error={start.error ?? cancel.error} />
		</div>
	);
}

function outcomeOf(repair: StorageRepair): string {
	const { status, dry_run: isDryRun, found, repaired, error } = repair;
	if (isUnfinished(repair)) return TEXTS.doing(repair);
	if (status !== "completed") return error ?? TEXTS.status[status];
	return isDryRun ? TEXTS.found(found) : TEXTS.repaired(found, repaired);
}

const TONES: Record<StorageRepair["status"], ChipTone> = {
	queued: "plain",
	running: "plain",
	completed: "accent",
	failed: "danger",
	cancelled: "plain",
};

const COLUMNS: readonly TableColumn<StorageRepair>[] = [
	{
		key: "what",
		title: TEXTS.column.what,
		cell: (repair) => (
			<>
				<span className="block truncate" title={TEXTS.what(repair)}>
					{TEXTS.what(repair)}
				</span>
				<span className="block text-muted text-sm sm:hidden">{TEXTS.counts(repair)}</span>
			</>
		),
	},
	{
		...{ key: "started", title: TEXTS.column.started, className: "w-24" },
		cell: ({ created_at: at }) => <RelativeTime time={at} />,
	},
	{
		...{ key: "state", title: TEXTS.column.state, className: "w-24" },
		cell: ({ status, error }) => (
			<span title={error ?? undefined}>
				<Chip tone={TONES[status]}>{TEXTS.status[status]}</Chip>
			</span>
		),
	},
	...(["looked_at", "found", "repaired"] as const).map(
		(key): TableColumn<StorageRepair> => ({
			...{
				key,
				title: TEXTS.column[key === "looked_at" ? "looked" : key],
				align: "right",
				className: "w-24 max-sm:hidden",
			},
			cell: (repair) => formatInteger(repair[key]),
		}),
	),
];
