import type { OAuth2Grant, OwnedOAuth2Grant } from "@spanward/client";
import Info from "lucide-react/icons/info";
import type { ReactNode } from "react";
import { foreignName } from "../../../lib/foreign-name.ts";
import { connectedAppsTexts } from "../../../texts/connected-apps-en.ts";
import { limitsTexts } from "../../../texts/limits-en.ts";
import { Button, IconButton } from "../../../ui/button.tsx";
import { RelativeTime } from "../../../ui/relative-time.tsx";
import type { TableColumn } from "../../../ui/table.tsx";
import { listOf } from "../keys/key-sentence.ts";

const TEXTS = connectedAppsTexts.apps;

/** What a program may do; in the list of all, with the person who has let it. */
export type ListedGrant = OAuth2Grant & Partial<Pick<OwnedOAuth2Grant, "user">>;

export interface GrantActions {
	readonly onEnd: (grant: ListedGrant) => void;
	/** Shows what the program can do. */
	readonly onOpen: (grant: ListedGrant) => void;
}

/** The name of the program, which its maker has chosen, as it can be shown. */
export function programNameOf({ name }: { readonly name: string }): string {
	return foreignName(name) ?? limitsTexts.nameless;
}

export function grantColumns(showsOwner: boolean, { onEnd, onOpen }: GrantActions): TableColumn<ListedGrant>[] {
	return [
		{ key: "program", title: TEXTS.column.program, cell: (grant) => <Program grant={grant} showsOwner={showsOwner} /> },
		...(showsOwner ? [ownerColumn] : []),
		{
			key: "may",
			title: TEXTS.column.may,
			className: "w-44 max-lg:hidden",
			cell: (grant) => <May grant={grant} isOwn={!showsOwner} />,
		},
		{
			key: "made",
			title: TEXTS.column.made,
			className: "w-24 max-lg:hidden",
			cell: ({ created_at }) => <RelativeTime time={created_at} />,
		},
		{
			key: "expires",
			title: TEXTS.column.expires,
			className: "w-24 max-sm:hidden",
			cell: ({ expires_at }) => <RelativeTime time={expires_at} />,
		},
		{
			key: "used",
			title: TEXTS.column.used,
			className: "w-28 max-sm:hidden",
			cell: ({ last_used_at, last_used_ip }) =>
				last_used_at === null ? (
					TEXTS.never
				) : (
					<>
						<RelativeTime time={last_used_at} />
						{last_used_ip !== null && (
							<span className="block truncate text-muted text-sm">{TEXTS.from(last_used_ip)}</span>
						)}
					</>
				),
		},
		{
			key: "actions",
			title: TEXTS.column.actions,
			hideTitle: true,
			align: "right",
			className: "w-24 pointer-coarse:w-32",
			cell: (grant) => (
				<span className="inline-flex gap-1">
					<IconButton label={TEXTS.canNamed(programNameOf(grant.client))} onClick={() => onOpen(grant)}>
						<Info size={14} aria-hidden />
					</IconButton>
					<Button aria-label={TEXTS.endNamed(programNameOf(grant.client))} onClick={() => onEnd(grant)}>
						{TEXTS.end}
					</Button>
				</span>
			),
		},
	];
}

const ownerColumn: TableColumn<ListedGrant> = {
	key: "owner",
	title: TEXTS.column.owner,
	className: "w-36 max-sm:hidden",
	cell: ({ user }) => (
		<>
			<span className="block truncate">{user?.username}</span>
			<span className="block truncate text-muted text-sm">{user?.email}</span>
		</>
	),
};

/** The name; on a phone, below it the values that have columns otherwise. */
function Program({ grant, showsOwner }: { grant: ListedGrant; showsOwner: boolean }): ReactNode {
	const { client, user, expires_at, last_used_at } = grant;
	return (
		<>
			<bdi className="block truncate font-medium">{programNameOf(client)}</bdi>
			<span className="block truncate text-muted text-sm">{connectedAppsTexts.kind[client.kind]}</span>
			<span className="block text-muted text-sm lg:hidden">
				{permissionsOf(grant, !showsOwner)} · {placesOf(grant)}
			</span>
			<span className="block truncate text-muted text-sm sm:hidden">
				{showsOwner && `${user?.username} · `}
				{TEXTS.ends} <RelativeTime time={expires_at} />
				{" · "}
				{last_used_at === null ? (
					TEXTS.neverUsed
				) : (
					<>
						{TEXTS.used} <RelativeTime time={last_used_at} />
					</>
				)}
			</span>
		</>
	);
}

function May({ grant, isOwn }: { grant: ListedGrant; isOwn: boolean }): ReactNode {
	return (
		<>
			<span className="block truncate">{permissionsOf(grant, isOwn)}</span>
			<span className="block truncate text-muted text-sm">
				{placesOf(grant)}
				{grant.resource === "mcp" && ` · ${TEXTS.mcp}`}
			</span>
		</>
	);
}

function permissionsOf({ permissions }: ListedGrant, isOwn: boolean): string {
	return permissions?.join(", ") ?? (isOwn ? TEXTS.everything : TEXTS.everythingOf);
}

/** Where the program may do something, in a few words. */
function placesOf({ projects, hidden_project_count: hidden, include_library }: ListedGrant): string {
	if (projects === null) return TEXTS.everywhere;
	return listOf([
		...projects.map(({ name }) => name),
		...(hidden === 0 ? [] : [TEXTS.hidden(hidden)]),
		...(include_library ? [TEXTS.library] : []),
	]);
}
