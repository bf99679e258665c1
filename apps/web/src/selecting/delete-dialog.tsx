import { useQuery } from "@tanstack/react-query";
import type { ReactNode } from "react";
import { selectingTexts } from "../texts/selecting-en.ts";
import { ConfirmDialog } from "../ui/confirm-dialog.tsx";
import { FormError } from "../ui/form-error.tsx";
import { Skeleton } from "../ui/skeleton.tsx";
import { summaryQuery } from "./queries.ts";
import { type ActionDialogProps, useStart } from "./use-start.ts";

const TEXTS = selectingTexts.delete;

/** Says what would be deleted, and asks. */
export function DeleteDialog(props: ActionDialogProps): ReactNode {
	const { selected, onClose } = props;
	const { kind } = selected;
	const { data, error } = useQuery(summaryQuery(selected));
	const start = useStart(props, () => ({ action: "delete" }));
	const parts = data && [
		...(kind === "session" ? [TEXTS.traces(data.trace_count ?? 0)] : []),
		...(kind === "span" ? [] : [TEXTS.spans(data.span_count)]),
		...(data.annotation_count > 0 ? [TEXTS.annotations(data.annotation_count)] : []),
		...(data.log_record_count > 0 ? [TEXTS.logRecords(data.log_record_count)] : []),
	];
	return (
		<ConfirmDialog
			title={TEXTS.title(kind)}
			action={selectingTexts.action.delete}
			mutation={{
				mutate: () => start.mutate({}),
				isPending: start.isPending || data === undefined,
				error: start.error,
			}}
			onClose={onClose}
		>
			{data && parts ? (
				<div>
					<p>{TEXTS.text(kind, data.item_count)}</p>
					<ul className="my-1 list-disc pl-5">
						{(parts.length > 0 ? parts : [TEXTS.nothing]).map((part) => (
							<li key={part}>{part}</li>
						))}
					</ul>
					{!data.is_complete && <p className="text-warn">{TEXTS.incomplete}</p>}
					<p className="text-muted">
						{kind === "span" && `${TEXTS.children} `}
						{TEXTS.stays}
					</p>
				</div>
			) : (
				error === null && <Skeleton className="h-16 w-full" />
			)}
			<FormError error={error} />
		</ConfirmDialog>
	);
}
