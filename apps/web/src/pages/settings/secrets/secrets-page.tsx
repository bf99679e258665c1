import { useQuery } from "@tanstack/react-query";
import Ellipsis from "lucide-react/icons/ellipsis";
import Eye from "lucide-react/icons/eye";
import Lock from "lucide-react/icons/lock";
import Plus from "lucide-react/icons/plus";
import { type ReactNode, useState } from "react";
import { texts } from "../../../texts/en.ts";
import { settingsTexts } from "../../../texts/settings-en.ts";
import { Button, IconButton } from "../../../ui/button.tsx";
import { EmptyState } from "../../../ui/empty-state.tsx";
import { Loaded } from "../../../ui/listed.tsx";
import { Menu, MenuItem } from "../../../ui/menu.tsx";
import { RelativeTime } from "../../../ui/relative-time.tsx";
import { Table, type TableColumn } from "../../../ui/table.tsx";
import { useTableKeys } from "../../../ui/use-table-keys.ts";
import { SectionPage } from "../section-page.tsx";
import { DeleteSecretDialog, ViewSecretDialog, WriteSecretDialog } from "./secret-dialogs.tsx";
import { type Secret, secretsQuery } from "./secret-queries.ts";

const TEXTS = settingsTexts.secrets;

interface Task {
	readonly kind: "add" | "replace" | "view" | "delete";
	readonly name: string;
}

export function SecretsPage(): ReactNode {
	const query = useQuery(secretsQuery);
	useTableKeys(query);
	const [task, setTask] = useState<Task>();
	const add = () => setTask({ kind: "add", name: "" });
	const close = () => setTask(undefined);
	return (
		<SectionPage
			title={texts.settings.secrets}
			intro={TEXTS.intro}
			action={
				<Button look="primary" onClick={add}>
					<Plus size={14} aria-hidden />
					{TEXTS.add}
				</Button>
			}
		>
			<Loaded data={query.data} query={query}>
				{(secrets) =>
					secrets.length === 0 ? (
						<EmptyState
							icon={<Lock size={24} aria-hidden />}
							title={TEXTS.none}
							text={TEXTS.noneText}
							actions={<Button onClick={add}>{TEXTS.add}</Button>}
						/>
					) : (
						<Table label={TEXTS.label} columns={columns(setTask)} rows={secrets} rowKey={(secret) => secret.key} />
					)
				}
			</Loaded>
			{task?.kind === "add" && (
				<WriteSecretDialog name={undefined} taken={(query.data ?? []).map(({ key }) => key)} onClose={close} />
			)}
			{task?.kind === "replace" && <WriteSecretDialog name={task.name} taken={[]} onClose={close} />}
			{task?.kind === "view" && <ViewSecretDialog name={task.name} onClose={close} />}
			{task?.kind === "delete" && <DeleteSecretDialog name={task.name} onClose={close} />}
		</SectionPage>
	);
}

function columns(onTask: (task: Task) => void): TableColumn<Secret>[] {
	return [
		{
			key: "name",
			title: TEXTS.column.name,
			cell: (secret) => (
				<>
					<code className="block truncate font-mono">{secret.key}</code>
					<span className="block text-muted text-sm sm:hidden">
						{TEXTS.column.updated.toLowerCase()} <RelativeTime time={secret.updated_at} />
					</span>
				</>
			),
		},
		{
			key: "created",
			title: TEXTS.column.created,
			className: "w-28 max-md:hidden",
			cell: (secret) => <RelativeTime time={secret.created_at} />,
		},
		{
			key: "updated",
			title: TEXTS.column.updated,
			className: "w-28 max-sm:hidden",
			cell: (secret) => <RelativeTime time={secret.updated_at} />,
		},
		{
			key: "by",
			title: TEXTS.column.by,
			className: "w-36 max-md:hidden",
			cell: (secret) => secret.updated_by?.username ?? texts.state.unknown,
		},
		{
			key: "actions",
			title: TEXTS.column.actions,
			hideTitle: true,
			align: "right",
			className: "w-20",
			cell: ({ key }) => (
				<>
					<IconButton label={TEXTS.viewNamed(key)} onClick={() => onTask({ kind: "view", name: key })}>
						<Eye size={14} aria-hidden />
					</IconButton>
					<Menu
						align="end"
						trigger={
							<IconButton label={settingsTexts.actionsFor(key)}>
								<Ellipsis size={15} aria-hidden />
							</IconButton>
						}
					>
						<MenuItem onClick={() => onTask({ kind: "replace", name: key })}>{TEXTS.replace}</MenuItem>
						<MenuItem danger onClick={() => onTask({ kind: "delete", name: key })}>
							{TEXTS.delete}
						</MenuItem>
					</Menu>
				</>
			),
		},
	];
}
