import { ApiError } from "@spanward/client";
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import type { ReactNode } from "react";
import { api } from "../../../lib/api.ts";
import { modelConnectionsQuery } from "../../../lib/model-connections.ts";
import { modelsTexts as TEXTS } from "../../../texts/models-en.ts";
import { Button } from "../../../ui/button.tsx";
import { ConfirmDialog } from "../../../ui/confirm-dialog.tsx";
import { Dialog } from "../../../ui/dialog.tsx";
import { FormError } from "../../../ui/form-error.tsx";
import { Loaded } from "../../../ui/listed.tsx";
import { type ModelConnection, modelConnectionQuery } from "./model-queries.ts";

interface TaskProps {
	readonly connection: ModelConnection;
	readonly onClose: () => void;
}

/** Shows where a connection leads that was made while anybody could do that, and confirms that very address. */
export function ConfirmConnectionDialog({ connection: { id, name }, onClose }: TaskProps): ReactNode {
	const queries = useQueryClient();
	const query = useQuery(modelConnectionQuery(id));
	const confirm = useMutation({
		mutationFn: (etag: string | undefined) =>
			api.post("/v1/model_connections/{connection_id}/confirm", {
				path: { connection_id: id },
				headers: { "if-match": etag ?? "*" },
			}),
		onSuccess: async () => {
			await queries.invalidateQueries({ queryKey: modelConnectionsQuery.queryKey });
			onClose();
		},
	});
	const isStale = confirm.error instanceof ApiError && confirm.error.status === 412;
	return (
		<Dialog open onOpenChange={onClose} title={TEXTS.confirmTitle(name)}>
			<div className="flex flex-col gap-3 overflow-auto p-4">
				<Loaded data={query.data} query={query}>
					{({ connection, etag }) => (
						<>
							<p>{TEXTS.confirmText}</p>
							<code className="rounded border border-line bg-sunken px-3 py-2 font-mono [overflow-wrap:anywhere]">
								{connection.address}
							</code>
							<p className="text-muted">{TEXTS.confirmUnknown}</p>
							<FormError error={isStale ? new Error(TEXTS.changed) : confirm.error} />
							<div className="flex justify-end gap-2">
								<Button look="primary" disabled={confirm.isPending} onClick={() => confirm.mutate(etag)}>
									{TEXTS.confirmButton}
								</Button>
							</div>
						</>
					)}
				</Loaded>
			</div>
		</Dialog>
	);
}

/** What the server names as using a connection. */
interface Use {
	readonly type: keyof typeof TEXTS.use;
	readonly name: string;
}

function usesOf(error: Error | null): readonly Use[] {
	if (!(error instanceof ApiError) || error.code !== "model_connection_in_use") return [];
	const { uses } = error.problem as { readonly uses?: readonly Use[] };
	return uses ?? [];
}

/** Deletes at once what nothing uses; what is in use after a second look at what uses it. */
export function DeleteConnectionDialog({ connection: { id, name }, onClose }: TaskProps): ReactNode {
	const queries = useQueryClient();
	const remove = useMutation({
		mutationFn: (force: boolean) =>
			api.delete("/v1/model_connections/{connection_id}", {
				path: { connection_id: id },
				...(force ? { query: { force: true } } : {}),
			}),
		onSuccess: async () => {
			await queries.invalidateQueries({ queryKey: modelConnectionsQuery.queryKey });
			onClose();
		},
	});
	const uses = usesOf(remove.error);
	const isUsed = uses.length > 0;
	return (
		<ConfirmDialog
			title={TEXTS.deleteTitle(name)}
			action={isUsed ? TEXTS.deleteAnyway : TEXTS.deleteButton}
			mutation={{ ...remove, error: isUsed ? null : remove.error, mutate: () => remove.mutate(isUsed) }}
			onClose={onClose}
		>
			<p>{TEXTS.deleteText}</p>
			{isUsed && (
				<div role="alert" className="flex flex-col gap-1 rounded bg-warn-soft px-3 py-2">
					<p>{TEXTS.inUse}</p>
					<ul className="list-disc pl-5">
						{uses.map((use) => (
							<li key={`${use.type} ${use.name}`} className="[overflow-wrap:anywhere]">
								{TEXTS.use[use.type]} <span className="font-medium">{use.name}</span>
							</li>
						))}
					</ul>
					<p>{TEXTS.inUseText}</p>
				</div>
			)}
		</ConfirmDialog>
	);
}
