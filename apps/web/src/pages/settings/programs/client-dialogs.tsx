import type { OAuth2Client } from "@spanward/client";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { type ReactNode, type SyntheticEvent, useState } from "react";
import { api } from "../../../lib/api.ts";
import { fieldErrors } from "../../../lib/field-errors.ts";
import { connectedAppsTexts } from "../../../texts/connected-apps-en.ts";
import { texts } from "../../../texts/en.ts";
import { ConfirmDialog } from "../../../ui/confirm-dialog.tsx";
import { FormDialog } from "../../../ui/form-dialog.tsx";
import { Field, Input, TextArea } from "../../../ui/input.tsx";
import { programNameOf } from "./grant-columns.tsx";

const TEXTS = connectedAppsTexts.clients;

/** What is to be done with a client. */
export type ClientTask =
	| { readonly kind: "add" }
	| { readonly kind: "change" | "disable" | "enable" | "delete"; readonly client: OAuth2Client };

interface DialogProps {
	/** Called with a description of what was done. */
	readonly onDone: (text: string) => void;
	readonly onClose: () => void;
}

export function ClientDialog({ task, ...props }: { task: ClientTask } & DialogProps): ReactNode {
	switch (task.kind) {
		case "add":
			return <ClientForm client={undefined} {...props} />;
		case "change":
			return <ClientForm client={task.client} {...props} />;
		case "delete":
			return <DeleteDialog client={task.client} {...props} />;
		default:
			return <DisableDialog client={task.client} disabled={task.kind === "disable"} {...props} />;
	}
}

interface ClientFields {
	readonly name: string;
	readonly redirect_uris: string[];
	readonly device_flow: boolean;
}

function useClientMutation<Variables>(
	send: (variables: Variables) => Promise<unknown>,
	done: string | ((variables: Variables) => string),
	{ onDone, onClose }: DialogProps,
) {
	const queries = useQueryClient();
	return useMutation({
		mutationFn: send,
		onSuccess: async (_answer, variables) => {
			await queries.invalidateQueries({ queryKey: ["oauth2-clients"] });
			await queries.invalidateQueries({ queryKey: ["oauth2-grants"] });
			onDone(typeof done === "string" ? done : done(variables));
			onClose();
		},
	});
}

function ClientForm({ client, ...props }: { client: OAuth2Client | undefined } & DialogProps): ReactNode {
	const [name, setName] = useState(client?.name ?? "");
	const [redirects, setRedirects] = useState(client?.redirect_uris.join("\n") ?? "");
	const [isDevice, setDevice] = useState(client?.device_flow ?? false);
	const [isMissing, setMissing] = useState(false);
	const save = useClientMutation(
		(body: ClientFields) =>
			client === undefined
				? api.post("/v1/oauth2_clients", { body })
				: api.patch("/v1/oauth2_clients/{client_id}", { path: { client_id: client.id }, body }),
		(fields) => (client === undefined ? TEXTS.created : TEXTS.changed)(programNameOf(fields)),
		props,
	);
	const { at, rest } = fieldErrors(save.error, { name: [], redirect_uris: ["invalid_redirect_uri"] });
	const nameProblem = isMissing ? TEXTS.nameMissing : at.name;
	const submit = (event: SyntheticEvent) => {
		event.preventDefault();
		setMissing(name.trim() === "");
		if (name.trim() === "") return save.reset();
		save.mutate({
			name: name.trim(),
			redirect_uris: redirects
				.split("\n")
				.map((line) => line.trim())
				.filter((line) => line !== ""),
			device_flow: isDevice,
		});
	};
	return (
		<FormDialog
			title={client === undefined ? TEXTS.add : TEXTS.changeTitle(programNameOf(client))}
			action={client === undefined ? texts.action.create : texts.action.save}
			isPending={save.isPending}
			error={rest}
			onSubmit={submit}
			onClose={props.onClose}
		>
			<Field label={TEXTS.name} hint={TEXTS.nameHint} error={nameProblem}>
				<Input
					value={name}
					maxLength={255}
					aria-invalid={nameProblem !== undefined}
					onChange={(event) => setName(event.target.value)}
				/>
			</Field>
			<Field label={TEXTS.redirects} hint={TEXTS.redirectsHint} error={at.redirect_uris}>
				<TextArea
					rows={3}
					value={redirects}
					aria-invalid={at.redirect_uris !== undefined}
					onChange={(event) => setRedirects(event.target.value)}
				/>
			</Field>
			<label className="flex items-start gap-2">
				<input
					type="checkbox"
					className="mt-1"
					checked={isDevice}
					onChange={(event) => setDevice(event.target.checked)}
				/>
				{TEXTS.deviceFlow}
			</label>
		</FormDialog>
	);
}

function DisableDialog({
	client,
	disabled,
	...props
}: { client: OAuth2Client; disabled: boolean } & DialogProps): ReactNode {
	const name = programNameOf(client);
	const change = useClientMutation(
		() => api.patch("/v1/oauth2_clients/{client_id}", { path: { client_id: client.id }, body: { disabled } }),
		disabled ? TEXTS.isDisabled(name) : TEXTS.isEnabled(name),
		props,
	);
	return (
		<ConfirmDialog
			title={disabled ? TEXTS.disableTitle(name) : TEXTS.enableTitle(name)}
			action={disabled ? TEXTS.disable : TEXTS.enable}
			mutation={{ ...change, mutate: () => change.mutate(undefined) }}
			onClose={props.onClose}
		>
			<p>{disabled ? TEXTS.disableText(client.grant_count) : TEXTS.enableText}</p>
		</ConfirmDialog>
	);
}

function DeleteDialog({ client, ...props }: { client: OAuth2Client } & DialogProps): ReactNode {
	const name = programNameOf(client);
	const remove = useClientMutation(
		() => api.delete("/v1/oauth2_clients/{client_id}", { path: { client_id: client.id } }),
		TEXTS.deleted(name),
		props,
	);
	return (
		<ConfirmDialog
			title={TEXTS.deleteTitle(name)}
			action={TEXTS.delete}
			mutation={{ ...remove, mutate: () => remove.mutate(undefined) }}
			onClose={props.onClose}
		>
			<p>{TEXTS.deleteText(client.grant_count)}</p>
		</ConfirmDialog>
	);
}
