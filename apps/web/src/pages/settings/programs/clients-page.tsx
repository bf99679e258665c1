import type { OAuth2Client } from "@spanward/client";
import { useInfiniteQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import Ellipsis from "lucide-react/icons/ellipsis";
import Plus from "lucide-react/icons/plus";
import { type ReactNode, useState } from "react";
import { formatInteger } from "../../../lib/format.ts";
import { connectedAppsTexts } from "../../../texts/connected-apps-en.ts";
import { texts } from "../../../texts/en.ts";
import { settingsTexts } from "../../../texts/settings-en.ts";
import { Button, IconButton } from "../../../ui/button.tsx";
import { Chip } from "../../../ui/chip.tsx";
import { CopyButton } from "../../../ui/copy-button.tsx";
import { EmptyState } from "../../../ui/empty-state.tsx";
import { Loaded } from "../../../ui/listed.tsx";
import { Menu, MenuItem, MenuSeparator } from "../../../ui/menu.tsx";
import { MoreRows } from "../../../ui/more-rows.tsx";
import { RelativeTime } from "../../../ui/relative-time.tsx";
import { Table, type TableColumn } from "../../../ui/table.tsx";
import { useTableKeys } from "../../../ui/use-table-keys.ts";
import { SectionPage } from "../section-page.tsx";
import { ClientDialog, type ClientTask } from "./client-dialogs.tsx";
import { programNameOf } from "./grant-columns.tsx";
import { clientPages } from "./program-queries.ts";
import { ProgramsOff } from "./programs-off.tsx";

const TEXTS = connectedAppsTexts.clients;

/** The programs that may ask people for access. */
export function ClientsPage(): ReactNode {
	const query = useInfiniteQuery(clientPages);
	const [task, setTask] = useState<ClientTask>();
	const [done, setDone] = useState("");
	useTableKeys(query);
	return (
		<SectionPage
			title={texts.settings.clients}
			intro={TEXTS.intro}
			action={
				<Button look="primary" onClick={() => setTask({ kind: "add" })}>
					<Plus size={14} aria-hidden />
					{TEXTS.add}
				</Button>
			}
		>
			<ProgramsOff />
			<Loaded data={query.data?.pages.flatMap((page) => page.data)} query={query}>
				{(clients) =>
					clients.length === 0 ? (
						<EmptyState title={TEXTS.none} />
					) : (
						<Table label={TEXTS.label} columns={clientColumns(setTask)} rows={clients} rowKey={({ id }) => id} />
					)
				}
			</Loaded>
			<MoreRows query={query} what={TEXTS.label} />
			<p role="status" className="text-muted">
				{done}
			</p>
			{task && <ClientDialog task={task} onDone={setDone} onClose={() => setTask(undefined)} />}
		</SectionPage>
	);
}

function clientColumns(onTask: (task: ClientTask) => void): TableColumn<OAuth2Client>[] {
	return [
		{ key: "name", title: TEXTS.column.name, cell: (client) => <Name client={client} /> },
		{
			key: "redirects",
			title: TEXTS.column.redirects,
			className: "w-56 max-md:hidden",
			cell: ({ redirect_uris: [first, ...others], device_flow }) => (
				<>
					{first !== undefined && (
						<span className="block truncate" title={[first, ...others].join("\n")}>
							{first}
						</span>
					)}
					<span className="block truncate text-muted text-sm">
						{[...(others.length === 0 ? [] : [TEXTS.more(others.length)]), ...(device_flow ? [TEXTS.device] : [])].join(
							" · ",
						)}
					</span>
				</>
			),
		},
		{
			key: "grants",
			title: TEXTS.column.grants,
			align: "right",
			className: "w-28 max-sm:hidden",
			cell: (client) =>
				client.grant_count === 0 ? (
					formatInteger(0)
				) : (
					<Link to="/settings/apps" search={{ show: "all", client: client.id }} className="text-accent hover:underline">
						{formatInteger(client.grant_count)}
					</Link>
				),
		},
		{
			key: "made",
			title: TEXTS.column.made,
			className: "w-24 max-lg:hidden",
			cell: ({ created_at }) => <RelativeTime time={created_at} />,
		},
		{
			key: "used",
			title: TEXTS.column.used,
			className: "w-24 max-sm:hidden",
			cell: ({ last_used_at }) => (last_used_at === null ? settingsTexts.never : <RelativeTime time={last_used_at} />),
		},
		{
			key: "actions",
			title: TEXTS.column.actions,
			hideTitle: true,
			align: "right",
			className: "w-12 pointer-coarse:w-16",
			cell: (client) => <ClientMenu client={client} onTask={onTask} />,
		},
	];
}

function Name({ client }: { client: OAuth2Client }): ReactNode {
	const name = programNameOf(client);
	return (
		<>
			<span className="flex flex-wrap items-center gap-x-2 gap-y-1">
				<bdi className="truncate font-medium">{name}</bdi>
				{client.disabled && <Chip tone="warn">{TEXTS.disabled}</Chip>}
			</span>
			<span className="block truncate text-muted text-sm">
				{connectedAppsTexts.kind[client.kind]}
				{client.created_by && ` (${client.created_by.username})`}
			</span>
			<span className="flex items-center gap-1">
				<code className="truncate font-mono text-muted text-sm">{client.client_id}</code>
				<CopyButton text={client.client_id} label={texts.action.copyNamed(TEXTS.copyId(name))} />
			</span>
			{client.grant_count > 0 && (
				<Link
					to="/settings/apps"
					search={{ show: "all", client: client.id }}
					className="text-accent text-sm hover:underline sm:hidden"
				>
					{TEXTS.grants(client.grant_count)}
				</Link>
			)}
		</>
	);
}

function ClientMenu({ client, onTask }: { client: OAuth2Client; onTask: (task: ClientTask) => void }): ReactNode {
	const isSeeded = client.kind === "seeded";
	return (
		<Menu
			align="end"
			trigger={
				<IconButton label={settingsTexts.actionsFor(programNameOf(client))}>
					<Ellipsis size={15} aria-hidden />
				</IconButton>
			}
		>
			{!isSeeded && <MenuItem onClick={() => onTask({ kind: "change", client })}>{TEXTS.change}</MenuItem>}
			{client.disabled ? (
				<MenuItem onClick={() => onTask({ kind: "enable", client })}>{TEXTS.enable}</MenuItem>
			) : (
				<MenuItem onClick={() => onTask({ kind: "disable", client })}>{TEXTS.disable}</MenuItem>
			)}
			{!isSeeded && (
				<>
					<MenuSeparator />
					<MenuItem danger onClick={() => onTask({ kind: "delete", client })}>
						{TEXTS.delete}
					</MenuItem>
				</>
			)}
		</Menu>
	);
}
