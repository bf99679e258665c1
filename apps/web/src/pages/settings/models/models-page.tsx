import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import Ellipsis from "lucide-react/icons/ellipsis";
import Plug from "lucide-react/icons/plug";
import Plus from "lucide-react/icons/plus";
import { type ReactNode, useState } from "react";
import { api } from "../../../lib/api.ts";
import { config } from "../../../lib/config.ts";
import { formatCost } from "../../../lib/format.ts";
import { useCan } from "../../../lib/me.ts";
import { modelConnectionsQuery } from "../../../lib/model-connections.ts";
import { texts } from "../../../texts/en.ts";
import { modelsTexts as TEXTS } from "../../../texts/models-en.ts";
import { Button, IconButton } from "../../../ui/button.tsx";
import { Chip, type ChipTone } from "../../../ui/chip.tsx";
import { EmptyState } from "../../../ui/empty-state.tsx";
import { FormError } from "../../../ui/form-error.tsx";
import { Loaded } from "../../../ui/listed.tsx";
import { Menu, MenuItem } from "../../../ui/menu.tsx";
import { RelativeTime } from "../../../ui/relative-time.tsx";
import { Table, type TableColumn } from "../../../ui/table.tsx";
import { useTableKeys } from "../../../ui/use-table-keys.ts";
import { SectionPage } from "../section-page.tsx";
import { AddConnectionDialog, EditConnectionDialog } from "./connection-dialog.tsx";
import { ConfirmConnectionDialog, DeleteConnectionDialog } from "./connection-tasks.tsx";
import { TestConnectionDialog } from "./connection-test.tsx";
import { type ModelConnection, type ModelConnectionPreset, presetsQuery } from "./model-queries.ts";

type Task =
	| { readonly kind: "add"; readonly preset: ModelConnectionPreset | undefined }
	| { readonly kind: "edit" | "test" | "confirm" | "delete"; readonly connection: ModelConnection };

/** How providers of models are reached. */
export function ModelsPage(): ReactNode {
	const can = useCan();
	const isAdmin = can("admin");
	const query = useQuery(modelConnectionsQuery);
	const presets = useQuery({ ...presetsQuery, enabled: isAdmin });
	useTableKeys(query);
	const [task, setTask] = useState<Task>();
	const close = () => setTask(undefined);
	const add = (preset?: ModelConnectionPreset) => setTask({ kind: "add", preset });
	return (
		<SectionPage
			title={texts.settings.models}
			intro={TEXTS.intro}
			action={
				isAdmin && (
					<Button look="primary" disabled={presets.data === undefined} onClick={() => add()}>
						<Plus size={14} aria-hidden />
						{TEXTS.add}
					</Button>
				)
			}
		>
			{!config.modelCalls && <p className="rounded bg-warn-soft px-3 py-2">{TEXTS.callsOff}</p>}
			<Loaded data={query.data} query={query}>
				{(connections) => (
					<>
						<Unconfirmed connections={connections} isAdmin={isAdmin} onTask={setTask} />
						{connections.length === 0 ? (
							<NoConnection isAdmin={isAdmin} presets={presets.data ?? []} onAdd={add} />
						) : (
							<>
								<StoredSecrets connections={connections} presets={presets.data ?? []} onAdd={add} />
								{!isAdmin && <p className="text-muted">{TEXTS.readOnly}</p>}
								<Table
									label={TEXTS.label}
									columns={isAdmin ? [...COLUMNS, SPENT, actionColumn(setTask)] : COLUMNS}
									rows={connections}
									rowKey={({ id }) => id}
								/>
							</>
						)}
					</>
				)}
			</Loaded>
			{task?.kind === "add" && (
				<AddConnectionDialog presets={presets.data ?? []} preset={task.preset} onClose={close} />
			)}
			{task?.kind === "edit" && <EditConnectionDialog connection={task.connection} onClose={close} />}
			{task?.kind === "test" && <TestConnectionDialog connection={task.connection} onClose={close} />}
			{task?.kind === "confirm" && <ConfirmConnectionDialog connection={task.connection} onClose={close} />}
			{task?.kind === "delete" && <DeleteConnectionDialog connection={task.connection} onClose={close} />}
		</SectionPage>
	);
}

function Unconfirmed({
	connections,
	isAdmin,
	onTask,
}: {
	connections: readonly ModelConnection[];
	isAdmin: boolean;
	onTask: (task: Task) => void;
}): ReactNode {
	const unconfirmed = connections.filter(({ state }) => state === "unconfirmed");
	if (unconfirmed.length === 0) return null;
	return (
		<section aria-label={TEXTS.unconfirmedTitle(unconfirmed.length)} className="rounded bg-warn-soft px-3 py-2">
			<h2 className="font-semibold">{TEXTS.unconfirmedTitle(unconfirmed.length)}</h2>
			<p>{TEXTS.unconfirmedText}</p>
			{isAdmin && (
				<ul className="mt-2 flex flex-col gap-1">
					{unconfirmed.map((connection) => (
						<li key={connection.id} className="flex flex-wrap items-center gap-2">
							<span className="font-medium">{connection.name}</span>
							<code className="font-mono text-sm [overflow-wrap:anywhere]">{connection.address}</code>
							<Button onClick={() => onTask({ kind: "confirm", connection })}>{TEXTS.confirm}</Button>
						</li>
					))}
				</ul>
			)}
		</section>
	);
}

function NoConnection({
	isAdmin,
	presets,
	onAdd,
}: {
	isAdmin: boolean;
	presets: readonly ModelConnectionPreset[];
	onAdd: (preset: ModelConnectionPreset) => void;
}): ReactNode {
	const icon = <Plug size={24} aria-hidden />;
	if (!isAdmin) {
		const mail = config.auth.supportEmail;
		return (
			<EmptyState icon={icon} title={TEXTS.emptyMember} text={TEXTS.emptyMemberText}>
				{mail !== undefined && (
					<a href={`mailto:${mail}`} className="text-accent underline">
						{mail}
					</a>
				)}
			</EmptyState>
		);
	}
	return (
		<EmptyState icon={icon} title={TEXTS.empty} text={TEXTS.emptyText}>
			<ul aria-label={TEXTS.presets} className="mt-3 grid w-full max-w-2xl grid-cols-2 gap-2 text-left sm:grid-cols-3">
				{presets.map((preset) => (
					<li key={preset.id}>
						<button
							type="button"
							onClick={() => onAdd(preset)}
							className="flex h-full w-full flex-col rounded border border-line-strong px-3 py-2 text-left hover:bg-hover"
						>
							<span className="font-medium">{preset.name}</span>
							<span className="text-muted text-sm [overflow-wrap:anywhere]">{presetNote(preset)}</span>
						</button>
					</li>
				))}
			</ul>
		</EmptyState>
	);
}

function presetNote({ base_url: url, secret }: ModelConnectionPreset): string {
	if (secret?.is_stored) return TEXTS.hasSecret(secret.key);
	const host = new URL(url).host;
	return host.startsWith("localhost") ? TEXTS.local : host;
}

/** Keys that were stored as secrets, and that no connection to their provider uses yet. */
function StoredSecrets({
	connections,
	presets,
	onAdd,
}: {
	connections: readonly ModelConnection[];
	presets: readonly ModelConnectionPreset[];
	onAdd: (preset: ModelConnectionPreset) => void;
}): ReactNode {
	const unused = presets.filter(
		({ base_url: url, secret }) => secret?.is_stored && !connections.some(({ address }) => address === url),
	);
	if (unused.length === 0) return null;
	return (
		<ul className="flex flex-col gap-1">
			{unused.map((preset) => (
				<li key={preset.id} className="flex flex-wrap items-center gap-2 rounded bg-accent-soft px-3 py-1.5">
					<span className="min-w-0 flex-1">{TEXTS.stored(preset.secret?.key ?? "", preset.name)}</span>
					<Button onClick={() => onAdd(preset)}>{TEXTS.useIt}</Button>
				</li>
			))}
		</ul>
	);
}

const TONES: Readonly<Record<ModelConnection["state"], ChipTone>> = {
	ready: "accent",
	failing: "danger",
	unconfirmed: "warn",
	off: "plain",
};

function modelsText({ models }: ModelConnection): string {
	if (models === null) return TEXTS.allModels;
	const [first = "", ...others] = models;
	return others.length === 0 ? first : TEXTS.moreModels(first, others.length);
}

const COLUMNS: TableColumn<ModelConnection>[] = [
	{
		key: "name",
		title: TEXTS.column.name,
		cell: (connection) => (
			<>
				<span className="flex min-w-0 flex-wrap items-center gap-x-2 gap-y-0.5">
					<span className="truncate font-medium">{connection.name}</span>
					{connection.origin === "settings" && <Chip title={TEXTS.declaredText}>{TEXTS.declared}</Chip>}
					{connection.use_by === "admins" && <Chip>{TEXTS.adminsOnly}</Chip>}
				</span>
				<span className="block text-muted text-sm [overflow-wrap:anywhere]">
					{[TEXTS.kind[connection.kind], ...(connection.address ? [connection.address] : [])].join(" · ")}
				</span>
				{connection.failing && (
					<span className="block text-danger text-sm [overflow-wrap:anywhere]">
						{connection.failing.reason} ({TEXTS.since} <RelativeTime time={connection.failing.since} />)
					</span>
				)}
			</>
		),
	},
	{
		key: "models",
		title: TEXTS.column.models,
		className: "w-44 max-md:hidden",
		cell: (connection) => <span title={connection.models?.join(", ")}>{modelsText(connection)}</span>,
	},
	{
		key: "state",
		title: TEXTS.column.state,
		className: "w-28",
		cell: ({ state }) => <Chip tone={TONES[state]}>{TEXTS.state[state]}</Chip>,
	},
];

const SPENT: TableColumn<ModelConnection> = {
	key: "spent",
	title: TEXTS.column.spent,
	align: "right",
	className: "w-36 max-sm:hidden",
	cell: ({ spending, monthly_budget_usd: budget }) => {
		const spent = formatCost(spending?.spent_usd);
		const reserved = spending?.reserved_usd ?? 0;
		return (
			<span title={reserved > 0 ? TEXTS.reserved(formatCost(reserved)) : undefined}>
				{budget === null || budget === undefined ? spent : TEXTS.ofBudget(spent, formatCost(budget))}
			</span>
		);
	},
};

function actionColumn(onTask: (task: Task) => void): TableColumn<ModelConnection> {
	return {
		key: "actions",
		title: TEXTS.column.actions,
		hideTitle: true,
		align: "right",
		className: "w-12",
		cell: (connection) => <Actions connection={connection} onTask={onTask} />,
	};
}

function Actions({ connection, onTask }: { connection: ModelConnection; onTask: (task: Task) => void }): ReactNode {
	const queries = useQueryClient();
	const toggle = useMutation({
		mutationFn: () =>
			api.patch("/v1/model_connections/{connection_id}", {
				path: { connection_id: connection.id },
				body: { enabled: !connection.enabled },
			}),
		onSuccess: () => queries.invalidateQueries({ queryKey: modelConnectionsQuery.queryKey }),
	});
	const isDeclared = connection.origin === "settings";
	return (
		<>
			<FormError error={toggle.error} />
			<Menu
				align="end"
				trigger={
					<IconButton label={TEXTS.actionsFor(connection.name)}>
						<Ellipsis size={15} aria-hidden />
					</IconButton>
				}
			>
				{connection.state !== "unconfirmed" && (
					<MenuItem onClick={() => onTask({ kind: "test", connection })}>{TEXTS.test}</MenuItem>
				)}
				{!isDeclared && (
					<>
						<MenuItem onClick={() => onTask({ kind: "edit", connection })}>{TEXTS.edit}</MenuItem>
						<MenuItem onClick={() => toggle.mutate()}>{connection.enabled ? TEXTS.switchOff : TEXTS.switchOn}</MenuItem>
					</>
				)}
				{!(isDeclared && connection.enabled) && (
					<MenuItem danger onClick={() => onTask({ kind: "delete", connection })}>
						{TEXTS.delete}
					</MenuItem>
				)}
			</Menu>
		</>
	);
}
