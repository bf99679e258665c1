import { useMutation, useQueryClient } from "@tanstack/react-query";
import type { ReactNode } from "react";
import { api } from "../../../lib/api.ts";
import { formatTime } from "../../../lib/time.ts";
import { PERMISSIONS } from "../../../limits/permissions.ts";
import { connectedAppsTexts } from "../../../texts/connected-apps-en.ts";
import { texts } from "../../../texts/en.ts";
import { Button } from "../../../ui/button.tsx";
import { ConfirmDialog } from "../../../ui/confirm-dialog.tsx";
import { Dialog } from "../../../ui/dialog.tsx";
import { AbilityTable } from "../keys/key-abilities.tsx";
import { type KeyLimits, keySentence } from "../keys/key-sentence.ts";
import { type ListedGrant, programNameOf } from "./grant-columns.tsx";

const TEXTS = connectedAppsTexts.apps;

export function EndGrantDialog({
	grant,
	onClose,
	onEnded,
}: {
	grant: ListedGrant;
	onClose: () => void;
	onEnded: () => void;
}): ReactNode {
	const queries = useQueryClient();
	const path = grant.user === undefined ? "/v1/user/oauth2_grants/{grant_id}" : "/v1/oauth2_grants/{grant_id}";
	const end = useMutation({
		mutationFn: () => api.delete(path, { path: { grant_id: grant.id } }),
		onSuccess: async () => {
			await queries.invalidateQueries({ queryKey: ["oauth2-grants"] });
			await queries.invalidateQueries({ queryKey: ["oauth2-clients"] });
			onEnded();
			onClose();
		},
	});
	return (
		<ConfirmDialog
			title={TEXTS.endTitle(programNameOf(grant.client))}
			action={TEXTS.endAction}
			mutation={end}
			onClose={onClose}
		>
			<p>
				{grant.user !== undefined && `${TEXTS.endOf(grant.user.username)} `}
				{TEXTS.endText}
			</p>
		</ConfirmDialog>
	);
}

/** What a program can do where, as far as who has let it may. */
export function GrantDialog({ grant, onClose }: { grant: ListedGrant; onClose: () => void }): ReactNode {
	const limits = limitsOf(grant);
	const isOwn = grant.user === undefined;
	return (
		<Dialog open onOpenChange={onClose} title={programNameOf(grant.client)} className="w-[min(44rem,calc(100vw-1rem))]">
			<div className="flex flex-col gap-4 overflow-auto p-4">
				<section aria-label={TEXTS.can} className="flex flex-col gap-2">
					<h3 className="font-semibold">{TEXTS.can}</h3>
					<p>
						{keySentence(limits, isOwn ? TEXTS.you : TEXTS.person, TEXTS.subject)}
						{grant.permissions?.includes("admin") && ` ${TEXTS.admin}`}
						{grant.resource === "mcp" && ` ${TEXTS.onlyMcp}`}
					</p>
					<AbilityTable listed={limits} caption={isOwn ? TEXTS.asYou : TEXTS.asPerson} />
				</section>
				<dl className="grid grid-cols-[minmax(7rem,auto)_minmax(0,1fr)] gap-x-4 gap-y-1">
					<dt className="text-muted">{TEXTS.kindLabel}</dt>
					<dd>{connectedAppsTexts.kind[grant.client.kind]}</dd>
					<dt className="text-muted">{connectedAppsTexts.clients.id}</dt>
					<dd className="font-mono text-sm [overflow-wrap:anywhere]">{grant.client.client_id}</dd>
					<dt className="text-muted">{TEXTS.column.made}</dt>
					<dd>{formatTime(grant.created_at)}</dd>
					<dt className="text-muted">{TEXTS.column.expires}</dt>
					<dd>{formatTime(grant.expires_at)}</dd>
					<dt className="text-muted">{TEXTS.column.used}</dt>
					<dd>
						{grant.last_used_at === null ? TEXTS.never : formatTime(grant.last_used_at)}{" "}
						{grant.last_used_ip !== null && TEXTS.from(grant.last_used_ip)}
					</dd>
				</dl>
				<Button className="self-end" onClick={onClose}>
					{texts.action.close}
				</Button>
			</div>
		</Dialog>
	);
}

/** As those of a key, which have no administration. */
function limitsOf(grant: ListedGrant): KeyLimits {
	const { permissions, projects, hidden_project_count, include_library } = grant;
	return {
		permissions: permissions && PERMISSIONS.filter((each) => permissions.includes(each)),
		projects,
		hidden_project_count,
		include_library,
		ip_ranges: null,
		allowed_origins: null,
		limits: { requests_per_minute: null, spans_per_day: null },
	};
}
