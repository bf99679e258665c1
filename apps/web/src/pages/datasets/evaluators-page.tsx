import type { DatasetEvaluator } from "@spanward/client";
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { getRouteApi, Link } from "@tanstack/react-router";
import Ellipsis from "lucide-react/icons/ellipsis";
import Plus from "lucide-react/icons/plus";
import { type ReactNode, useState } from "react";
import { EvaluatorKind } from "../../evaluating/evaluator-kind.tsx";
import { parseObject } from "../../evaluating/json-text.ts";
import { choosableQuery, ofDatasetQuery, refreshEvaluators } from "../../evaluating/queries.ts";
import { useMayChange } from "../../homes/use-may-change.ts";
import { api } from "../../lib/api.ts";
import { datasetQuery } from "../../lib/datasets.ts";
import { usePageTitle } from "../../lib/page-title.ts";
import { evaluatorTexts } from "../../texts/evaluators-en.ts";
import { Button, IconButton } from "../../ui/button.tsx";
import { ConfirmDialog } from "../../ui/confirm-dialog.tsx";
import { EmptyState } from "../../ui/empty-state.tsx";
import { FormDialog } from "../../ui/form-dialog.tsx";
import { Field } from "../../ui/input.tsx";
import { JsonField } from "../../ui/json-field.tsx";
import { Loaded } from "../../ui/listed.tsx";
import { Menu, MenuItem } from "../../ui/menu.tsx";
import { Select } from "../../ui/select.tsx";
import { Table, type TableColumn } from "../../ui/table.tsx";
import { useTableKeys } from "../../ui/use-table-keys.ts";

const route = getRouteApi("/datasets/$dataset/evaluators");
const TEXTS = evaluatorTexts.dataset;

type Mapping = NonNullable<DatasetEvaluator["mapping"]>;

interface Task {
	readonly kind: "attach" | "change" | "detach";
	readonly attached?: DatasetEvaluator;
}

/** The evaluators that look at the runs of the dataset's experiments. */
export function DatasetEvaluatorsPage(): ReactNode {
	const { dataset } = route.useParams();
	const { data } = useQuery(datasetQuery(dataset));
	const query = useQuery(ofDatasetQuery(dataset));
	const mayChange = useMayChange(data);
	useTableKeys(query);
	const [task, setTask] = useState<Task>();
	const close = () => setTask(undefined);
	usePageTitle(TEXTS.tab, data?.name ?? dataset);
	const attach = mayChange && (
		<Button look="primary" onClick={() => setTask({ kind: "attach" })}>
			<Plus size={14} aria-hidden />
			{TEXTS.attach}
		</Button>
	);
	return (
		<div className="min-h-0 flex-1 overflow-auto px-2">
			<Loaded data={query.data} query={query}>
				{(all) => (
					<>
						{all.length === 0 ? (
							<EmptyState title={TEXTS.none} text={TEXTS.noneText} actions={attach} />
						) : (
							<>
								<div className="flex flex-wrap items-center gap-2 px-2 py-2">
									<p className="text-muted">{TEXTS.intro}</p>
									<span className="ml-auto">{attach}</span>
								</div>
								<Table
									label={TEXTS.tab}
									columns={columns(mayChange ? setTask : undefined)}
									rows={all}
									rowKey={({ evaluator }) => evaluator.id}
								/>
							</>
						)}
						{task?.kind === "attach" && <AttachDialog dataset={dataset} others={all} onClose={close} />}
						{task?.kind === "change" && task.attached && (
							<AttachDialog dataset={dataset} attached={task.attached} others={all} onClose={close} />
						)}
						{task?.kind === "detach" && task.attached && (
							<DetachDialog dataset={dataset} attached={task.attached} onClose={close} />
						)}
					</>
				)}
			</Loaded>
		</div>
	);
}

function columns(onTask: ((task: Task) => void) | undefined): TableColumn<DatasetEvaluator>[] {
	return [
		{
			key: "name",
			title: TEXTS.column.name,
			cell: ({ evaluator: { name, kind } }) => (
				<span className="flex flex-wrap items-center gap-x-3">
					<Link
						to="/evaluators/$evaluator"
						params={{ evaluator: name }}
						className="truncate font-medium hover:text-accent hover:underline"
					>
						{name}
					</Link>
					<EvaluatorKind kind={kind} />
				</span>
			),
		},
		{
			key: "outputs",
			title: TEXTS.column.outputs,
			className: "max-sm:hidden",
			cell: ({ evaluator }) => evaluator.outputs.join(", "),
		},
		{
			key: "runs",
			title: TEXTS.column.runs,
			className: "w-36",
			cell: ({ run_automatically }) => (run_automatically ? TEXTS.runs.automatically : TEXTS.runs.asked),
		},
		{
			key: "mapping",
			title: TEXTS.column.mapping,
			className: "w-44 max-sm:hidden",
			cell: ({ mapping }) => (mapping === null ? TEXTS.usualMapping : TEXTS.ownMapping),
		},
		...(onTask
			? [
					{
						key: "actions",
						title: TEXTS.column.actions,
						hideTitle: true,
						align: "right" as const,
						className: "w-12",
						cell: (attached: DatasetEvaluator) => (
							<Menu
								align="end"
								trigger={
									<IconButton label={TEXTS.actionsFor(attached.evaluator.name)}>
										<Ellipsis size={15} aria-hidden />
									</IconButton>
								}
							>
								<MenuItem onClick={() => onTask({ kind: "change", attached })}>{TEXTS.change}</MenuItem>
								<MenuItem danger onClick={() => onTask({ kind: "detach", attached })}>
									{TEXTS.detach}
								</MenuItem>
							</Menu>
						),
					},
				]
			: []),
	];
}

function AttachDialog({
	dataset,
	attached,
	others,
	onClose,
}: {
	dataset: string;
	/** The one that is changed. */
	attached?: DatasetEvaluator;
	others: readonly DatasetEvaluator[];
	onClose: () => void;
}): ReactNode {
	const queries = useQueryClient();
	const all = useQuery({ ...choosableQuery, enabled: attached === undefined });
	const taken = new Set(others.map(({ evaluator }) => evaluator.id));
	const free = all.data?.filter(({ id }) => !taken.has(id));
	const [chosen, setChosen] = useState(attached?.evaluator.id ?? "");
	const [text, setText] = useState(attached?.mapping ? JSON.stringify(attached.mapping, null, 2) : "");
	const [isAutomatic, setAutomatic] = useState(attached?.run_automatically ?? true);
	const read = text.trim() === "" ? undefined : parseObject(text);
	const problem = read && "problem" in read ? read.problem : undefined;
	const save = useMutation({
		mutationFn: () =>
			api.put("/v1/datasets/{dataset_id}/evaluators/{evaluator_identifier}", {
				path: { dataset_id: dataset, evaluator_identifier: chosen },
				body: {
					run_automatically: isAutomatic,
					...(attached?.version_id ? { version_id: attached.version_id } : {}),
					// The server checks that it is a mapping.
					...(read && "value" in read ? { mapping: read.value as Mapping } : {}),
				},
			}),
		onSuccess: async () => {
			await refreshEvaluators(queries);
			onClose();
		},
	});
	return (
		<FormDialog
			title={attached ? TEXTS.changeTitle(attached.evaluator.name) : TEXTS.attachTitle}
			action={attached ? TEXTS.save : TEXTS.attach}
			isPending={save.isPending || chosen === "" || problem !== undefined}
			error={save.error ?? all.error}
			onSubmit={(event) => {
				event.preventDefault();
				save.mutate();
			}}
			onClose={onClose}
		>
			{attached === undefined && (
				<Field label={TEXTS.evaluator} hint={free?.length === 0 ? TEXTS.noEvaluators : undefined}>
					<Select
						value={chosen}
						onChange={setChosen}
						choices={[
							{ value: "", label: TEXTS.choose },
							...(free ?? []).map(({ id, name }) => ({ value: id, label: name })),
						]}
					/>
				</Field>
			)}
			<JsonField
				label={TEXTS.mapping}
				hint={TEXTS.mappingHint}
				value={text}
				onChange={setText}
				problem={problem}
				className="min-h-24"
			/>
			<label className="flex items-start gap-2">
				<input
					type="checkbox"
					className="mt-1"
					checked={isAutomatic}
					onChange={(event) => setAutomatic(event.target.checked)}
				/>
				<span>
					{TEXTS.automatically}
					<span className="block text-muted text-sm">{TEXTS.automaticallyHint}</span>
				</span>
			</label>
		</FormDialog>
	);
}

function DetachDialog({
	dataset,
	attached: { evaluator },
	onClose,
}: {
	dataset: string;
	attached: DatasetEvaluator;
	onClose: () => void;
}): ReactNode {
	const queries = useQueryClient();
	const detach = useMutation({
		mutationFn: () =>
			api.delete("/v1/datasets/{dataset_id}/evaluators/{evaluator_identifier}", {
				path: { dataset_id: dataset, evaluator_identifier: evaluator.id },
			}),
		onSuccess: async () => {
			await refreshEvaluators(queries);
			onClose();
		},
	});
	return (
		<ConfirmDialog title={TEXTS.detachTitle(evaluator.name)} action={TEXTS.detach} mutation={detach} onClose={onClose}>
			<p>{TEXTS.detachText}</p>
		</ConfirmDialog>
	);
}
