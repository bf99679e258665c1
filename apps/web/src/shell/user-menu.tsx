import { useMutation } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import ExternalLink from "lucide-react/icons/external-link";
import LogOut from "lucide-react/icons/log-out";
import MonitorX from "lucide-react/icons/monitor-x";
import UserRound from "lucide-react/icons/user-round";
import UserRoundCog from "lucide-react/icons/user-round-cog";
import type { ReactNode } from "react";
import { logOut } from "../auth/log-out.ts";
import type { Me } from "../auth/me.ts";
import { useMe } from "../lib/me.ts";
import { texts } from "../texts/en.ts";
import { Button, IconButton } from "../ui/button.tsx";
import { Dialog } from "../ui/dialog.tsx";
import { errorText } from "../ui/error-state.tsx";
import { Menu, MenuItem, MenuSeparator } from "../ui/menu.tsx";

const TEXTS = texts.user;

/** Who is logged in, their settings, and the ways out; nothing while authentication is off. */
export function UserMenu(): ReactNode {
	const me = useMe();
	const leaving = useMutation({ mutationFn: (everywhere: boolean) => logOut(everywhere) });
	if (me === undefined) return null;
	return (
		<>
			<Menu
				align="end"
				className="w-60"
				trigger={
					<IconButton label={TEXTS.menu(me.username)}>
						<UserRound size={15} aria-hidden />
					</IconButton>
				}
			>
				<Identity me={me} />
				<MenuSeparator />
				<MenuItem icon={<UserRoundCog size={14} aria-hidden />} render={<Link to="/settings" />}>
					{TEXTS.settings}
				</MenuItem>
				{me.managementUrl !== undefined && (
					<MenuItem
						icon={<ExternalLink size={14} aria-hidden />}
						render={<a href={me.managementUrl} target="_blank" rel="noreferrer" />}
					>
						{TEXTS.management}
					</MenuItem>
				)}
				<MenuSeparator />
				<MenuItem icon={<LogOut size={14} aria-hidden />} onClick={() => leaving.mutate(false)}>
					{TEXTS.logOut}
				</MenuItem>
				<MenuItem icon={<MonitorX size={14} aria-hidden />} onClick={() => leaving.mutate(true)}>
					{TEXTS.logOutEverywhere}
				</MenuItem>
			</Menu>
			{leaving.error && <Failed error={leaving.error} onClose={() => leaving.reset()} />}
		</>
	);
}

function Identity({ me }: { me: Me }): ReactNode {
	return (
		<div className="px-2 py-1.5">
			<p className="truncate font-semibold">
				<bdi>{me.username}</bdi>
			</p>
			{me.email !== undefined && <p className="truncate text-muted text-sm">{me.email}</p>}
			<p className="text-muted text-sm">{TEXTS.role[me.role]}</p>
		</div>
	);
}

/** Tells the user that the log-out failed, so that they are still logged in. */
function Failed({ error, onClose }: { error: Error; onClose: () => void }): ReactNode {
	return (
		<Dialog open onOpenChange={onClose} title={TEXTS.notLoggedOut}>
			<div className="flex flex-col gap-3 p-4">
				<p role="alert">{errorText(error).message}</p>
				<Button className="self-end" onClick={onClose}>
					{texts.action.close}
				</Button>
			</div>
		</Dialog>
	);
}
