import { ApiError } from "@spanward/client";
import { type UseMutationResult, useQuery } from "@tanstack/react-query";
import type { ReactNode } from "react";
import { projectQuery } from "../lib/projects.ts";
import { homesTexts as TEXTS } from "../texts/homes-en.ts";
import { Button } from "../ui/button.tsx";
import { Dialog } from "../ui/dialog.tsx";

/** Whether the server asks before more people see something. */
export function isWiderAccess(error: Error | null): error is ApiError {
	return error instanceof ApiError && error.code === "wider_access";
}

/** Asks whether more people shall see what comes from a restricted project, with both names and how many they are. */
export function WiderAccess({
	error,
	isPending,
	onAllow,
	onBack,
}: {
	/** By which the server asked. */
	error: ApiError;
	isPending: boolean;
	onAllow: () => void;
	onBack: () => void;
}): ReactNode {
	const { from, to, more_people: more } = error.problem;
	const [fromName, toName] = [useHomeName(from), useHomeName(to)];
	return (
		<div role="alert" className="flex flex-col gap-3 overflow-auto p-4">
			<p className="[overflow-wrap:anywhere]">{TEXTS.wider(fromName, toName)}</p>
			{typeof more === "number" && <p className="font-medium">{TEXTS.more(more)}</p>}
			<div className="flex flex-wrap justify-end gap-2">
				<Button autoFocus onClick={onBack}>
					{TEXTS.back}
				</Button>
				<Button look="danger" disabled={isPending} onClick={onAllow}>
					{TEXTS.allow}
				</Button>
			</div>
		</div>
	);
}

/** {@link WiderAccess} in the place of the dialog whose mutation the server refused; goes on with the same variables. */
export function WiderAccessDialog<T extends { readonly isWiderAllowed?: boolean }>({
	title,
	asked,
	onClose,
}: {
	title: string;
	asked: Pick<UseMutationResult<unknown, Error, T>, "error" | "variables" | "isPending" | "mutate" | "reset">;
	onClose: () => void;
}): ReactNode {
	const { error, variables, isPending, mutate, reset } = asked;
	if (!isWiderAccess(error) || variables === undefined) return null;
	return (
		<Dialog open onOpenChange={onClose} title={title}>
			<WiderAccess
				error={error}
				isPending={isPending}
				onAllow={() => mutate({ ...variables, isWiderAllowed: true })}
				onBack={reset}
			/>
		</Dialog>
	);
}

/** @param id of a project; null for the library */
function useHomeName(id: unknown): string {
	const project = typeof id === "string" ? id : undefined;
	const { data } = useQuery({ ...projectQuery(project ?? ""), enabled: project !== undefined });
	return project === undefined ? TEXTS.library : (data?.name ?? project);
}
