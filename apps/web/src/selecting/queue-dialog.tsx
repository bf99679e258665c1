import type { BulkRun, ReviewQueue } from "@spanward/client";
import { useInfiniteQuery, useMutation, useQueryClient } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { type ReactNode, useState } from "react";
import { queuePages } from "../lib/review-queues.ts";
import { showRun } from "../lib/shown-runs.ts";
import { texts } from "../texts/en.ts";
import { selectingTexts } from "../texts/selecting-en.ts";
import { Button } from "../ui/button.tsx";
import { buttonClass } from "../ui/button-class.ts";
import { Dialog } from "../ui/dialog.tsx";
import { FormDialog } from "../ui/form-dialog.tsx";
import { Field, Input } from "../ui/input.tsx";
import { useAllPages } from "../ui/list-pages.tsx";
import { Select } from "../ui/select.tsx";
import { type AddedItems, runQuery } from "./queries.ts";

const TEXTS = selectingTexts.review;

export interface QueueDialogProps {
	readonly kind: ReviewQueue["target"];
	/** Adds them to a queue; answers how many, or the run that does so. */
	readonly add: (queueId: string, priority: number) => Promise<AddedItems | BulkRun>;
	/** They were added, or are being added. */
	readonly onStarted: () => void;
	readonly onClose: () => void;
}

/** Asks for the review queue of this kind that something is added to. */
export function QueueDialog(props: QueueDialogProps): ReactNode {
	const { kind, onStarted, onClose } = props;
	const query = useInfiniteQuery(queuePages(false));
	useAllPages(query, true);
	const all = query.data?.pages.flatMap((page) => page.data) ?? [];
	const queues = all.filter(({ target }) => target === kind);
	const [chosen, setChosen] = useState<string>();
	const [priority, setPriority] = useState("0");
	const queue = queues.find(({ id }) => id === chosen) ?? queues[0];
	const adding = useAdd(props);
	if (adding.data && !("run" in adding.data)) return <Added {...adding.data} onClose={onStarted} />;
	if (query.data && !query.hasNextPage && queues.length === 0) return <NoQueue kind={kind} onClose={onClose} />;
	return (
		<FormDialog
			title={TEXTS.title}
			action={selectingTexts.action.review}
			isPending={adding.isPending || queue === undefined}
			error={adding.error ?? query.error}
			onClose={onClose}
			onSubmit={(event) => {
				event.preventDefault();
				if (queue) adding.mutate({ queue, priority: Number(priority) });
			}}
		>
			<p className="text-muted">{TEXTS.explain}</p>
			<Field label={TEXTS.queue}>
				<Select
					value={queue?.id ?? ""}
					onChange={setChosen}
					choices={queues.map(({ id, name }) => ({ value: id, label: name }))}
				/>
			</Field>
			{queue?.order === "priority" && (
				<Field label={TEXTS.priority} hint={TEXTS.priorityHint}>
					<Input type="number" step={1} value={priority} onChange={(event) => setPriority(event.target.value)} />
				</Field>
			)}
		</FormDialog>
	);
}

function useAdd({ add, onStarted }: Pick<QueueDialogProps, "add" | "onStarted">) {
	const queries = useQueryClient();
	return useMutation({
		mutationFn: async ({ queue, priority }: { queue: ReviewQueue; priority: number }) => {
			const answer = await add(queue.id, priority);
			return "added" in answer ? { queue, ...answer } : { run: answer, queue };
		},
		onSuccess: (result) => {
			for (const key of [["review-queues"], ["review-queue", result.queue.id], ["review-items"], ["open-reviews"]])
				void queries.invalidateQueries({ queryKey: key });
			if (!("run" in result)) return;
			queries.setQueryData(runQuery(result.run.id).queryKey, result.run);
			showRun(result.run.id);
			onStarted();
		},
	});
}

function Added({
	queue,
	added,
	present,
	onClose,
}: {
	queue: ReviewQueue;
	added: number;
	present: number;
	onClose: () => void;
}): ReactNode {
	return (
		<Dialog open onOpenChange={onClose} title={TEXTS.title}>
			<div className="flex flex-col gap-3 p-4">
				<p role="status">{TEXTS.added(queue.target, queue.name, added, present)}</p>
				<div className="flex justify-end gap-2">
					<Link
						to="/reviews/$queue/items"
						params={{ queue: queue.id }}
						onClick={onClose}
						className={buttonClass("quiet", "text-accent")}
					>
						{TEXTS.open}
					</Link>
					<Button look="primary" onClick={onClose}>
						{texts.action.close}
					</Button>
				</div>
			</div>
		</Dialog>
	);
}

function NoQueue({ kind, onClose }: { kind: ReviewQueue["target"]; onClose: () => void }): ReactNode {
	return (
		<Dialog open onOpenChange={onClose} title={TEXTS.title}>
			<div className="flex flex-col gap-3 p-4">
				<p>{TEXTS.none(kind)}</p>
				<div className="flex justify-end gap-2">
					<Button onClick={onClose}>{texts.action.cancel}</Button>
					<Link to="/reviews/new" onClick={onClose} className={buttonClass("primary")}>
						{TEXTS.create}
					</Link>
				</div>
			</div>
		</Dialog>
	);
}
