import type { WaitingAnnotation } from "@spanward/client";
import { infiniteQueryOptions, useInfiniteQuery, useMutation, useQueryClient } from "@tanstack/react-query";
import Trash from "lucide-react/icons/trash-2";
import { type ReactNode, useState } from "react";
import { AnnotationValue } from "../../../annotating/annotation-value.tsx";
import { api } from "../../../lib/api.ts";
import { useCan, useMe } from "../../../lib/me.ts";
import { present } from "../../../lib/search-params.ts";
import { dataSettingsTexts } from "../../../texts/data-settings-en.ts";
import { texts } from "../../../texts/en.ts";
import { IconButton } from "../../../ui/button.tsx";
import { ConfirmDialog } from "../../../ui/confirm-dialog.tsx";
import { CopyId } from "../../../ui/copy-button.tsx";
import { EmptyState } from "../../../ui/empty-state.tsx";
import { Loaded } from "../../../ui/listed.tsx";
import { MoreRows } from "../../../ui/more-rows.tsx";
import { RelativeTime } from "../../../ui/relative-time.tsx";
import { Table, type TableColumn } from "../../../ui/table.tsx";
import { useTableKeys } from "../../../ui/use-table-keys.ts";
import { SectionPage } from "../section-page.tsx";

const TEXTS = dataSettingsTexts.waiting;
const KEY = ["waiting-annotations"];

const waitingPages = infiniteQueryOptions({
	queryKey: KEY,
	initialPageParam: undefined as string | undefined,
	queryFn: ({ pageParam, signal }) =>
		api.get("/v1/waiting_annotations", { query: { limit: 100, ...present({ cursor: pageParam }) }, signal }),
	getNextPageParam: (page) => page.next_cursor ?? undefined,
});

/** Annotations whose span, trace or session has not arrived. */
export function WaitingPage(): ReactNode {
	const query = useInfiniteQuery(waitingPages);
	useTableKeys(query);
	const can = useCan();
	const me = useMe();
	const mayRemove = ({ user_id: user }: WaitingAnnotation) =>
		can("admin") || (can("write") && user === (me?.id ?? null));
	const [removing, setRemoving] = useState<WaitingAnnotation | undefined>();
	return (
		<SectionPage title={texts.settings.waitingAnnotations} intro={TEXTS.intro}>
			<Loaded data={query.data} query={query}>
				{(data) => {
					const rows = data.pages.flatMap((page) => page.data);
					if (rows.length === 0) return <EmptyState title={TEXTS.none} text={TEXTS.noneText} />;
					return (
						<>
							<Table
								label={texts.settings.waitingAnnotations}
								columns={can("write") ? [...COLUMNS, removeColumn(mayRemove, setRemoving)] : COLUMNS}
								rows={rows}
								rowKey={(row) => row.id}
							/>
							<MoreRows query={query} what={TEXTS.more} />
						</>
					);
				}}
			</Loaded>
			{removing && <DeleteDialog annotation={removing} onClose={() => setRemoving(undefined)} />}
		</SectionPage>
	);
}

const COLUMNS: TableColumn<WaitingAnnotation>[] = [
	{
		key: "name",
		title: TEXTS.column.name,
		cell: ({ name, result }) => (
			<>
				<span className="flex min-w-0 items-center gap-2">
					<span className="truncate font-medium">{name}</span>
					<AnnotationValue result={result} />
				</span>
				{result.explanation && <span className="block truncate text-muted">{result.explanation}</span>}
			</>
		),
	},
	{
		key: "target",
		title: TEXTS.column.target,
		className: "w-52",
		cell: ({ target, target_id: id }) => (
			<span className="flex min-w-0 items-center gap-1">
				{TEXTS.target[target]}
				<CopyId id={id} name={TEXTS.target[target]} length={16} />
			</span>
		),
	},
	{
		key: "reason",
		title: TEXTS.column.reason,
		className: "w-64 max-md:hidden",
		cell: ({ reason }) => <span title={reason}>{reason}</span>,
	},
	{
		key: "since",
		title: TEXTS.column.since,
		className: "w-24 max-sm:hidden",
		cell: ({ created_at: time }) => <RelativeTime time={time} />,
	},
];

function removeColumn(
	mayRemove: (annotation: WaitingAnnotation) => boolean,
	onRemove: (annotation: WaitingAnnotation) => void,
): TableColumn<WaitingAnnotation> {
	return {
		key: "actions",
		title: TEXTS.column.actions,
		hideTitle: true,
		align: "right",
		className: "w-12",
		cell: (annotation) =>
			mayRemove(annotation) && (
				<IconButton label={TEXTS.delete(annotation.name)} onClick={() => onRemove(annotation)}>
					<Trash size={14} aria-hidden />
				</IconButton>
			),
	};
}

function DeleteDialog({ annotation, onClose }: { annotation: WaitingAnnotation; onClose: () => void }): ReactNode {
	const queries = useQueryClient();
	const remove = useMutation({
		mutationFn: () =>
			api.delete("/v1/waiting_annotations/{waiting_annotation_id}", {
				path: { waiting_annotation_id: annotation.id },
			}),
		onSuccess: async () => {
			await queries.invalidateQueries({ queryKey: KEY });
			onClose();
		},
	});
	return (
		<ConfirmDialog
			title={TEXTS.deleteTitle(annotation.name)}
			action={TEXTS.deleteButton}
			mutation={remove}
			onClose={onClose}
		>
			<p>{TEXTS.deleteText}</p>
		</ConfirmDialog>
	);
}
