import type { AuditEvent } from "@spanward/client";
import X from "lucide-react/icons/x";
import type { ReactNode } from "react";
import { formatExactTime, useTimeZone } from "../../../lib/time.ts";
import { auditTexts } from "../../../texts/audit-en.ts";
import { IconButton } from "../../../ui/button.tsx";
import { CopyId } from "../../../ui/copy-button.tsx";
import { Outcome } from "./audit-columns.tsx";
import { actionName, actorName, credentialName, targetName } from "./audit-words.ts";

const TEXTS = auditTexts;

/** The entry beside the list. */
export function AuditEntryAside({ event, onClose }: { event: AuditEvent; onClose: () => void }): ReactNode {
	return (
		<aside aria-label={TEXTS.details} className="flex w-96 shrink-0 flex-col overflow-auto border-line border-l">
			<div className="flex items-center border-line border-b py-1 pr-1 pl-3">
				<h2 className="min-w-0 flex-1 truncate font-semibold">{actionName(event)}</h2>
				<IconButton label={TEXTS.closeDetails} shortcut="Esc" onClick={onClose}>
					<X size={15} aria-hidden />
				</IconButton>
			</div>
			<div className="p-3">
				<AuditEntry event={event} />
			</div>
		</aside>
	);
}

/** All recorded facts of one event. */
export function AuditEntry({ event }: { event: AuditEvent }): ReactNode {
	useTimeZone();
	const facts: [name: string, value: ReactNode][] = [
		[TEXTS.field.time, formatExactTime(event.time)],
		[
			TEXTS.field.action,
			<>
				{actionName(event)} <code className="font-mono text-muted text-sm">{event.action}</code>
			</>,
		],
		[TEXTS.field.outcome, <Outcome key="outcome" outcome={event.outcome} />],
		[TEXTS.field.code, event.code],
		[TEXTS.field.actor, withId(actorName(event), event.actor.id)],
		[TEXTS.field.credential, credentialName(event)],
		[TEXTS.field.target, event.target && withId(targetName(event), event.target.id)],
		[TEXTS.field.ip, event.ip],
		[TEXTS.field.agent, event.user_agent],
		[TEXTS.field.request, event.request_id],
		...Object.entries(event.details ?? {}).map(([name, value]): [string, ReactNode] => [
			name.replaceAll("_", " "),
			String(value),
		]),
	];
	return (
		<dl className="grid grid-cols-[6rem_minmax(0,1fr)] gap-x-3 gap-y-1.5">
			{facts
				.filter(([, value]) => value !== undefined && value !== null && value !== "")
				.map(([name, value]) => (
					<div key={name} className="contents">
						<dt className="text-muted [overflow-wrap:anywhere]">{name}</dt>
						<dd className="[overflow-wrap:anywhere]">{value}</dd>
					</div>
				))}
		</dl>
	);
}

function withId(name: string, id: string | undefined): ReactNode {
	return (
		<>
			{name}
			{id !== undefined && <CopyId id={id} name={TEXTS.field.id} length={16} className="ml-1" />}
		</>
	);
}
