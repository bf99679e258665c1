import { ApiError } from "@spanward/client";
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import ChevronDown from "lucide-react/icons/chevron-down";
import ChevronUp from "lucide-react/icons/chevron-up";
import Pencil from "lucide-react/icons/pencil";
import Trash from "lucide-react/icons/trash-2";
import X from "lucide-react/icons/x";
import { type ReactNode, useState } from "react";
import { useMayChangeDataset } from "../../homes/use-may-change.ts";
import { api } from "../../lib/api.ts";
import { useShortcuts } from "../../lib/shortcuts.tsx";
import { dataTexts } from "../../texts/data-en.ts";
import { texts } from "../../texts/en.ts";
import { IconButton } from "../../ui/button.tsx";
import { ConfirmDialog } from "../../ui/confirm-dialog.tsx";
import { useValueView } from "../../ui/content/value-view.ts";
import { CopyButton } from "../../ui/copy-button.tsx";
import { EmptyState } from "../../ui/empty-state.tsx";
import { ErrorState } from "../../ui/error-state.tsx";
import { SegmentedControl } from "../../ui/segmented-control.tsx";
import { SkeletonRows } from "../../ui/skeleton.tsx";
import { Tabs } from "../../ui/tabs.tsx";
import { ExampleContent } from "./example-content.tsx";
import { ExampleForm } from "./example-form.tsx";
import { type Example, exampleQuery } from "./example-query.ts";
import { invalidateExamples } from "./invalidate-examples.ts";
import { Revisions } from "./revisions.tsx";

const TEXTS = dataTexts.examples;
type Tab = "content" | "revisions";

export interface ExamplePanelProps {
	readonly dataset: string;
	/** Global id. */
	readonly example: string;
	/** Id of an older version to show. */
	readonly version: string | undefined;
	readonly onPrevious: (() => void) | undefined;
	readonly onNext: (() => void) | undefined;
	readonly onClose: () => void;
}

/** One example beside the list: its content and its revisions. */
export function ExamplePanel(props: ExamplePanelProps): ReactNode {
	const { dataset, example: id, version, onClose } = props;
	const mayChange = useMayChangeDataset(dataset);
	const { data, error, refetch } = useQuery(exampleQuery(dataset, id, version));
	const [tab, setTab] = useState<Tab>("content");
	const [isEditing, setEditing] = useState(false);
	const [isDeleting, setDeleting] = useState(false);
	const mayWrite = mayChange && version === undefined && data !== undefined;
	useShortcuts({
		title: TEXTS.panel,
		shortcuts: [
			{ keys: ["Escape"], label: TEXTS.close, run: () => (isEditing ? setEditing(false) : onClose()) },
			{ keys: ["e"], label: TEXTS.editKey, run: () => (mayWrite ? setEditing(true) : false), hidden: !mayWrite },
		],
	});
	const isMissing = error instanceof ApiError && error.status === 404;
	return (
		<section aria-label={TEXTS.panel} className="flex min-h-0 min-w-0 flex-1 flex-col">
			<Header
				{...props}
				found={data?.example}
				onEdit={mayWrite && !isEditing ? () => setEditing(true) : undefined}
				onDelete={mayWrite ? () => setDeleting(true) : undefined}
			/>
			{isMissing ? (
				<EmptyState title={TEXTS.missing} />
			) : error && !data ? (
				<ErrorState error={error} onRetry={() => void refetch()} />
			) : !data ? (
				<SkeletonRows rows={6} />
			) : isEditing ? (
				<ExampleForm
					dataset={dataset}
					opened={data}
					onClose={() => setEditing(false)}
					onReload={async () => {
						await refetch();
						setEditing(false);
					}}
				/>
			) : (
				<Tabs
					label={TEXTS.panel}
					value={tab}
					onChange={setTab}
					className="min-h-0 flex-1"
					aside={tab === "content" && <ViewSwitch />}
					items={[
						{ value: "content", label: TEXTS.content, content: <ExampleContent content={data.example} /> },
						{
							value: "revisions",
							label: TEXTS.revisions,
							content: <Revisions dataset={dataset} example={id} />,
						},
					]}
				/>
			)}
			{isDeleting && data && (
				<DeleteDialog
					dataset={dataset}
					example={data.example}
					etag={data.etag}
					onDeleted={onClose}
					onClose={() => setDeleting(false)}
				/>
			)}
		</section>
	);
}

function Header({
	example: id,
	found,
	onPrevious,
	onNext,
	onEdit,
	onDelete,
	onClose,
}: ExamplePanelProps & {
	found: Example | undefined;
	onEdit: (() => void) | undefined;
	onDelete: (() => void) | undefined;
}): ReactNode {
	return (
		<div className="flex shrink-0 items-center gap-1 border-line border-b px-2 py-1">
			<h2 className="min-w-0 truncate px-1 font-semibold">
				{found && found.id !== found.node_id ? TEXTS.exampleTitle(found.id) : TEXTS.panel}
			</h2>
			<CopyButton text={found?.id ?? id} label={texts.action.copyNamed(TEXTS.id)} className="size-6" />
			{found?.source && (
				<Link
					to="/redirects/$kind/$id"
					params={{ kind: "spans", id: found.source.span_id }}
					className="truncate text-accent hover:underline"
				>
					{TEXTS.openSource}
				</Link>
			)}
			<span className="ml-auto flex shrink-0">
				<IconButton label={TEXTS.previous} shortcut="k" disabled={!onPrevious} onClick={onPrevious}>
					<ChevronUp size={15} aria-hidden />
				</IconButton>
				<IconButton label={TEXTS.next} shortcut="j" disabled={!onNext} onClick={onNext}>
					<ChevronDown size={15} aria-hidden />
				</IconButton>
				{onEdit && (
					<IconButton label={TEXTS.editKey} shortcut="e" onClick={onEdit}>
						<Pencil size={14} aria-hidden />
					</IconButton>
				)}
				{onDelete && (
					<IconButton label={TEXTS.delete} onClick={onDelete}>
						<Trash size={14} aria-hidden />
					</IconButton>
				)}
				<IconButton label={TEXTS.close} shortcut="Esc" onClick={onClose}>
					<X size={15} aria-hidden />
				</IconButton>
			</span>
		</div>
	);
}

function ViewSwitch(): ReactNode {
	const [view, setView] = useValueView();
	return (
		<SegmentedControl
			label={TEXTS.view}
			value={view}
			onChange={setView}
			choices={[
				{ value: "text", label: TEXTS.asText },
				{ value: "json", label: TEXTS.asJson },
			]}
		/>
	);
}

function DeleteDialog({
	dataset,
	example,
	etag,
	onDeleted,
	onClose,
}: {
	dataset: string;
	example: Example;
	etag: string | undefined;
	onDeleted: () => void;
	onClose: () => void;
}): ReactNode {
	const queries = useQueryClient();
	const remove = useMutation({
		mutationFn: () =>
			api.delete("/v1/datasets/{id}/examples/{example_id}", {
				path: { id: dataset, example_id: example.node_id },
				headers: etag === undefined ? {} : { "if-match": etag },
			}),
		onSuccess: async () => {
			onDeleted();
			await invalidateExamples(queries, dataset);
		},
	});
	return (
		<ConfirmDialog title={TEXTS.deleteTitle} action={TEXTS.delete} mutation={remove} onClose={onClose}>
			<p>{TEXTS.deleteText}</p>
		</ConfirmDialog>
	);
}
