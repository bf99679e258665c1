import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import Ellipsis from "lucide-react/icons/ellipsis";
import Plus from "lucide-react/icons/plus";
import { type ReactNode, useState } from "react";
import { ConfigDialog } from "../../../annotating/config-dialog.tsx";
import { boundsText } from "../../../annotating/draft.ts";
import { configsQuery } from "../../../annotating/queries.ts";
import type { AnnotationConfig } from "../../../annotating/types.ts";
import { api } from "../../../lib/api.ts";
import { useCan } from "../../../lib/me.ts";
import { annotatingTexts } from "../../../texts/annotating-en.ts";
import { dataSettingsTexts } from "../../../texts/data-settings-en.ts";
import { texts } from "../../../texts/en.ts";
import { Button, IconButton } from "../../../ui/button.tsx";
import { Chip } from "../../../ui/chip.tsx";
import { ConfirmDialog } from "../../../ui/confirm-dialog.tsx";
import { EmptyState } from "../../../ui/empty-state.tsx";
import { Loaded } from "../../../ui/listed.tsx";
import { Menu, MenuItem } from "../../../ui/menu.tsx";
import { Table, type TableColumn } from "../../../ui/table.tsx";
import { useTableKeys } from "../../../ui/use-table-keys.ts";
import { SectionPage } from "../section-page.tsx";
import { AssignDialog } from "./assign-dialog.tsx";

const TEXTS = dataSettingsTexts.configs;
type Task =
	| { readonly kind: "edit" | "projects" | "delete"; readonly config: AnnotationConfig }
	| { readonly kind: "new" };

/** The annotation configs. */
export function AnnotationConfigsPage(): ReactNode {
	const query = useQuery(configsQuery);
	useTableKeys(query);
	const can = useCan();
	const [task, setTask] = useState<Task | undefined>();
	const close = () => setTask(undefined);
	const create = can("write") && (
		<Button look="primary" onClick={() => setTask({ kind: "new" })}>
			<Plus size={14} aria-hidden />
			{TEXTS.new}
		</Button>
	);
	return (
		<SectionPage title={texts.settings.annotationConfigs} intro={TEXTS.intro} action={create}>
			<Loaded data={query.data} query={query}>
				{(configs) =>
					configs.length === 0 ? (
						<EmptyState title={TEXTS.none} text={TEXTS.noneText} actions={create} />
					) : (
						<Table
							label={texts.settings.annotationConfigs}
							columns={columns(can("write") ? setTask : undefined)}
							rows={configs}
							rowKey={(config) => config.id}
						/>
					)
				}
			</Loaded>
			{task?.kind === "new" && <ConfigDialog onClose={close} />}
			{task?.kind === "edit" && <ConfigDialog config={task.config} onClose={close} />}
			{task?.kind === "projects" && <AssignDialog config={task.config} onClose={close} />}
			{task?.kind === "delete" && <DeleteDialog config={task.config} onClose={close} />}
		</SectionPage>
	);
}

function columns(onTask: ((task: Task) => void) | undefined): TableColumn<AnnotationConfig>[] {
	const shown: TableColumn<AnnotationConfig>[] = [
		{
			key: "name",
			title: TEXTS.column.name,
			cell: ({ name, description }) => (
				<>
					<span className="block truncate font-medium">{name}</span>
					{description && <span className="block truncate text-muted">{description}</span>}
				</>
			),
		},
		{
			key: "kind",
			title: TEXTS.column.kind,
			className: "w-24",
			cell: ({ type }) => annotatingTexts.config.kinds[type],
		},
		{
			key: "values",
			title: TEXTS.column.values,
			className: "w-1/2 max-sm:hidden",
			cell: (config) => <Values config={config} />,
		},
	];
	if (!onTask) return shown;
	return [
		...shown,
		{
			key: "actions",
			title: TEXTS.column.actions,
			hideTitle: true,
			align: "right",
			className: "w-12",
			cell: (config) => (
				<Menu
					align="end"
					trigger={
						<IconButton label={TEXTS.actionsFor(config.name)}>
							<Ellipsis size={15} aria-hidden />
						</IconButton>
					}
				>
					<MenuItem onClick={() => onTask({ kind: "edit", config })}>{TEXTS.edit}</MenuItem>
					<MenuItem onClick={() => onTask({ kind: "projects", config })}>{TEXTS.projects}</MenuItem>
					<MenuItem danger onClick={() => onTask({ kind: "delete", config })}>
						{TEXTS.delete}
					</MenuItem>
				</Menu>
			),
		},
	];
}

function Values({ config }: { config: AnnotationConfig }): ReactNode {
	const direction = TEXTS.direction[config.optimization_direction ?? "NONE"];
	return (
		<span className="flex flex-wrap items-center gap-1.5">
			{config.type === "CATEGORICAL" &&
				config.values.map(({ label, score }) => (
					<Chip key={label}>
						<span className="truncate">{label}</span>
						{score !== null && score !== undefined && <span className="text-muted">{score}</span>}
					</Chip>
				))}
			{config.type === "CONTINUOUS" && <span>{boundsText(config) ?? TEXTS.anyNumber}</span>}
			{config.type === "FREEFORM" && <span>{TEXTS.anyText}</span>}
			{direction && config.type !== "FREEFORM" && <span className="text-muted text-sm">{direction}</span>}
		</span>
	);
}

function DeleteDialog({ config, onClose }: { config: AnnotationConfig; onClose: () => void }): ReactNode {
	const queries = useQueryClient();
	const remove = useMutation({
		mutationFn: () => api.delete("/v1/annotation_configs/{config_id}", { path: { config_id: config.id } }),
		onSuccess: async () => {
			await queries.invalidateQueries({ queryKey: ["annotation-configs"] });
			onClose();
		},
	});
	return (
		<ConfirmDialog title={TEXTS.deleteTitle(config.name)} action={TEXTS.delete} mutation={remove} onClose={onClose}>
			<p>{TEXTS.deleteText}</p>
		</ConfirmDialog>
	);
}
