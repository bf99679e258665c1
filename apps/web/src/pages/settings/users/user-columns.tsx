import Ellipsis from "lucide-react/icons/ellipsis";
import type { ReactNode } from "react";
import { config } from "../../../lib/config.ts";
import { providerName } from "../../../lib/provider-name.ts";
import { settingsTexts } from "../../../texts/settings-en.ts";
import { IconButton } from "../../../ui/button.tsx";
import { Chip } from "../../../ui/chip.tsx";
import { Menu, MenuItem, MenuSeparator } from "../../../ui/menu.tsx";
import { RelativeTime } from "../../../ui/relative-time.tsx";
import type { TableColumn } from "../../../ui/table.tsx";
import type { UserTask } from "./user-dialogs.tsx";
import type { User } from "./user-queries.ts";

const TEXTS = settingsTexts.users;
/** Its role cannot be changed, and it cannot be deleted. */
const DEFAULT_ADMIN = "admin@localhost";

export function userColumns(ownId: string | undefined, onTask: (task: UserTask) => void): TableColumn<User>[] {
	return [
		{ key: "name", title: TEXTS.column.name, cell: (user) => <UserName user={user} isOwn={user.id === ownId} /> },
		{ key: "role", title: TEXTS.column.role, className: "w-20", cell: (user) => settingsTexts.role[user.role] },
		{
			key: "method",
			title: TEXTS.column.method,
			className: "w-36 max-md:hidden",
			cell: methodName,
		},
		{
			key: "login",
			title: TEXTS.column.login,
			className: "w-28 max-sm:hidden",
			cell: (user) => (user.last_login_at ? <RelativeTime time={user.last_login_at} /> : TEXTS.never),
		},
		{
			key: "actions",
			title: TEXTS.column.actions,
			hideTitle: true,
			align: "right",
			className: "w-12",
			// One's own account is changed under Account, the system's in the server's settings.
			cell: (user) => user.id !== ownId && user.role !== "SYSTEM" && <UserMenu user={user} onTask={onTask} />,
		},
	];
}

function UserName({ user, isOwn }: { user: User; isOwn: boolean }): ReactNode {
	return (
		<>
			<span className="flex flex-wrap items-center gap-x-2 gap-y-1">
				<span className="truncate font-medium">{user.username}</span>
				{isOwn && <Chip tone="accent">{TEXTS.you}</Chip>}
				{user.password_needs_reset && <Chip tone="warn">{TEXTS.must}</Chip>}
				{isWaiting(user) && <Chip>{TEXTS.unbound}</Chip>}
			</span>
			<span className="block truncate text-muted text-sm">{user.email || TEXTS.noEmail}</span>
		</>
	);
}

/** Whether an account is not bound yet. With a directory without unique ids it never is: the email identifies it. */
function isWaiting(user: User): boolean {
	return user.is_bound === false && (user.auth_method !== "LDAP" || user.last_login_at === undefined);
}

function methodName(user: User): string {
	return user.auth_method === "OAUTH2"
		? providerName(user.oauth2_provider)
		: settingsTexts.methodShort[user.auth_method];
}

function UserMenu({ user, onTask }: { user: User; onTask: (task: UserTask) => void }): ReactNode {
	const isDefault = user.email === DEFAULT_ADMIN;
	return (
		<Menu
			align="end"
			trigger={
				<IconButton label={settingsTexts.actionsFor(user.username)}>
					<Ellipsis size={15} aria-hidden />
				</IconButton>
			}
		>
			<MenuItem onClick={() => onTask({ kind: "rename", user })}>{TEXTS.rename}</MenuItem>
			{!isDefault && <MenuItem onClick={() => onTask({ kind: "role", user })}>{TEXTS.changeRole}</MenuItem>}
			{user.auth_method === "LOCAL" && config.auth.passwordLogin && (
				<MenuItem onClick={() => onTask({ kind: "password", user })}>{TEXTS.setPassword}</MenuItem>
			)}
			{user.is_bound && <MenuItem onClick={() => onTask({ kind: "unbind", user })}>{TEXTS.unbind}</MenuItem>}
			{!isDefault && (
				<>
					<MenuSeparator />
					<MenuItem danger onClick={() => onTask({ kind: "delete", user })}>
						{TEXTS.delete}
					</MenuItem>
				</>
			)}
		</Menu>
	);
}
