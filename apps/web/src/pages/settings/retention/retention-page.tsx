import type { RetentionPolicy, RetentionRun } from "@spanward/client";
import { useInfiniteQuery, useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import Ellipsis from "lucide-react/icons/ellipsis";
import Plus from "lucide-react/icons/plus";
import { type ReactNode, useState } from "react";
import { api } from "../../../lib/api.ts";
import { formatDuration, formatInteger } from "../../../lib/format.ts";
import { useCan } from "../../../lib/me.ts";
import { dataSettingsTexts } from "../../../texts/data-settings-en.ts";
import { texts } from "../../../texts/en.ts";
import { Button, IconButton } from "../../../ui/button.tsx";
import { ConfirmDialog } from "../../../ui/confirm-dialog.tsx";
import { Loaded } from "../../../ui/listed.tsx";
import { Menu, MenuItem } from "../../../ui/menu.tsx";
import { MoreRows } from "../../../ui/more-rows.tsx";
import { RelativeTime } from "../../../ui/relative-time.tsx";
import { Table, type TableColumn } from "../../../ui/table.tsx";
import { useTableKeys } from "../../../ui/use-table-keys.ts";
import { SectionPage } from "../section-page.tsx";
import { cronWords } from "./cron-words.ts";
import { PolicyDialog } from "./policy-dialog.tsx";
import { isDefault, retentionText } from "./policy-words.ts";
import { policiesQuery, runPages } from "./retention-queries.ts";

const TEXTS = dataSettingsTexts.retention;
type Task = { readonly kind: "edit" | "run" | "delete"; readonly policy: RetentionPolicy } | { readonly kind: "new" };

/** Retention policies and their runs. */
export function RetentionPage(): ReactNode {
	const query = useQuery(policiesQuery);
	useTableKeys(query);
	const can = useCan();
	const [task, setTask] = useState<Task | undefined>();
	const [started, setStarted] = useState<number | undefined>();
	const close = () => setTask(undefined);
	const isAdmin = can("admin");
	return (
		<SectionPage
			title={texts.settings.retention}
			intro={TEXTS.intro}
			action={
				isAdmin && (
					<Button look="primary" onClick={() => setTask({ kind: "new" })}>
						<Plus size={14} aria-hidden />
						{TEXTS.new}
					</Button>
				)
			}
		>
			<Loaded data={query.data} query={query}>
				{(policies) => (
					<Table
						label={texts.settings.retention}
						columns={isAdmin ? [...COLUMNS, actionColumn(setTask)] : COLUMNS}
						rows={policies}
						rowKey={(policy) => policy.id}
					/>
				)}
			</Loaded>
			{!isAdmin && <p className="text-muted">{TEXTS.readOnly}</p>}
			{started !== undefined && (
				<p role="status" className="rounded bg-accent-soft px-3 py-2">
					{TEXTS.started(started)}
				</p>
			)}
			<Runs />
			{task?.kind === "new" && <PolicyDialog onClose={close} />}
			{task?.kind === "edit" && <PolicyDialog policy={task.policy} onClose={close} />}
			{task?.kind === "run" && <RunDialog policy={task.policy} onStarted={setStarted} onClose={close} />}
			{task?.kind === "delete" && <DeleteDialog policy={task.policy} onClose={close} />}
		</SectionPage>
	);
}

const COLUMNS: TableColumn<RetentionPolicy>[] = [
	{
		key: "name",
		title: TEXTS.column.name,
		cell: (policy) => (
			<>
				<span className="flex min-w-0 items-center gap-2">
					<span className="truncate font-medium">{policy.name}</span>
				</span>
				<span className="block truncate text-muted sm:hidden">{retentionText(policy)}</span>
				{isDefault(policy) && (
					<span className="block text-muted text-sm [overflow-wrap:anywhere]">{TEXTS.defaultHint}</span>
				)}
			</>
		),
	},
	{
		key: "keeps",
		title: TEXTS.column.keeps,
		className: "w-72 max-sm:hidden",
		cell: (policy) => <span title={retentionText(policy)}>{retentionText(policy)}</span>,
	},
	{
		key: "when",
		title: TEXTS.column.when,
		className: "w-44 max-md:hidden",
		cell: (policy) =>
			policy.next_run_at === null ? TEXTS.never : <span title={policy.cron}>{cronWords(policy.cron)}</span>,
	},
	{
		key: "next",
		title: TEXTS.column.next,
		className: "w-24",
		cell: ({ next_run_at: next }) => (next === null ? texts.state.unknown : <RelativeTime time={next} />),
	},
	{
		key: "projects",
		title: TEXTS.column.projects,
		align: "right",
		className: "w-20 max-sm:hidden",
		cell: (policy) => formatInteger(policy.project_count),
	},
];

function actionColumn(onTask: (task: Task) => void): TableColumn<RetentionPolicy> {
	return {
		key: "actions",
		title: TEXTS.column.actions,
		hideTitle: true,
		align: "right",
		className: "w-12",
		cell: (policy) =>
			isRunnable(policy) && (
				<Menu
					align="end"
					trigger={
						<IconButton label={TEXTS.actionsFor(policy.name)}>
							<Ellipsis size={15} aria-hidden />
						</IconButton>
					}
				>
					<MenuItem onClick={() => onTask({ kind: "run", policy })}>{TEXTS.run}</MenuItem>
					{!isDefault(policy) && (
						<>
							<MenuItem onClick={() => onTask({ kind: "edit", policy })}>{TEXTS.edit}</MenuItem>
							<MenuItem danger onClick={() => onTask({ kind: "delete", policy })}>
								{TEXTS.delete}
							</MenuItem>
						</>
					)}
				</Menu>
			),
	};
}

/** False for the default policy when it has no limits, as it would delete nothing. */
function isRunnable(policy: RetentionPolicy): boolean {
	return !isDefault(policy) || policy.max_days !== null || policy.max_traces !== null;
}

function Runs(): ReactNode {
	const query = useInfiniteQuery(runPages);
	return (
		<section aria-label={TEXTS.runs} className="flex flex-col gap-1">
			<h2 className="font-semibold">{TEXTS.runs}</h2>
			<Loaded data={query.data} query={query}>
				{(data) => {
					const runs = data.pages.flatMap((page) => page.data);
					if (runs.length === 0) return <p className="text-muted">{TEXTS.runsNone}</p>;
					return (
						<>
							<Table label={TEXTS.runs} columns={RUN_COLUMNS} rows={runs} rowKey={(run) => run.id} />
							<MoreRows query={query} what={TEXTS.moreRuns} />
						</>
					);
				}}
			</Loaded>
		</section>
	);
}

const RUN_COLUMNS: TableColumn<RetentionRun>[] = [
	{
		key: "project",
		title: TEXTS.runColumn.project,
		cell: (run) => <span className="block truncate">{run.project_name}</span>,
	},
	{
		key: "started",
		title: TEXTS.runColumn.started,
		className: "w-24",
		cell: (run) => <RelativeTime time={run.started_at} />,
	},
	{
		key: "took",
		title: TEXTS.runColumn.took,
		align: "right",
		className: "w-24 max-sm:hidden",
		cell: ({ started_at: from, ended_at: to }) =>
			to === null ? texts.state.unknown : formatDuration(Date.parse(to) - Date.parse(from)),
	},
	{
		key: "deleted",
		title: TEXTS.runColumn.deleted,
		align: "right",
		className: "w-28",
		cell: (run) => TEXTS.deletedCount(formatInteger(run.deleted_traces)),
	},
	{
		key: "kept",
		title: TEXTS.runColumn.kept,
		align: "right",
		className: "w-28 max-md:hidden",
		cell: (run) => (run.kept_traces > 0 ? TEXTS.keptAnnotated(formatInteger(run.kept_traces)) : texts.state.unknown),
	},
	{
		key: "state",
		title: TEXTS.runColumn.state,
		className: "w-40 max-sm:hidden",
		cell: ({ ended_at: end, error }) => {
			if (error !== null)
				return (
					<span className="text-danger" title={error}>
						{error}
					</span>
				);
			return end === null ? TEXTS.running : TEXTS.done;
		},
	},
];

function RunDialog({
	policy,
	onStarted,
	onClose,
}: {
	policy: RetentionPolicy;
	onStarted: (projects: number) => void;
	onClose: () => void;
}): ReactNode {
	const queries = useQueryClient();
	const run = useMutation({
		mutationFn: async () =>
			(await api.post("/v1/retention_policies/{policy_id}/run", { path: { policy_id: policy.id } })).data,
		onSuccess: async (runs) => {
			onStarted(runs.length);
			await queries.invalidateQueries({ queryKey: ["retention"] });
			onClose();
		},
	});
	return (
		<ConfirmDialog title={TEXTS.runTitle(policy.name)} action={TEXTS.run} mutation={run} onClose={onClose}>
			<p>{TEXTS.runText(policy.project_count)}</p>
		</ConfirmDialog>
	);
}

function DeleteDialog({ policy, onClose }: { policy: RetentionPolicy; onClose: () => void }): ReactNode {
	const queries = useQueryClient();
	const remove = useMutation({
		mutationFn: () => api.delete("/v1/retention_policies/{policy_id}", { path: { policy_id: policy.id } }),
		onSuccess: async () => {
			await queries.invalidateQueries({ queryKey: ["retention"] });
			onClose();
		},
	});
	return (
		<ConfirmDialog title={TEXTS.deleteTitle(policy.name)} action={TEXTS.delete} mutation={remove} onClose={onClose}>
			<p>{TEXTS.deleteText}</p>
		</ConfirmDialog>
	);
}
