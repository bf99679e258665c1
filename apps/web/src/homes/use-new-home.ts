import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { mayEdit } from "../lib/project-role.ts";
import { projectQuery } from "../lib/projects.ts";
import { LIBRARY, useWritableHomes, type WritableHomes } from "./use-writable-homes.ts";

/** Where something new is to live. */
export interface NewHome extends WritableHomes {
	/** {@link LIBRARY} or a project's id; empty until one is chosen. */
	readonly value: string;
	readonly choose: (value: string) => void;
	/** As a request says it: nothing for the library. */
	readonly sent: { readonly project?: string };
	/** Whether there is nothing to choose from. */
	readonly isNowhere: boolean;
}

/**
 * A home to be chosen for something new. At first the library, but the project that its contents come from where that is
 * restricted, or the library is closed to the user.
 * @param source name or id of that project
 */
export function useNewHome(source?: string): NewHome {
	const [chosen, choose] = useState<string>();
	const writable = useWritableHomes();
	const { data: from, isPending } = useQuery({ ...projectQuery(source ?? ""), enabled: source !== undefined });
	const own = from && mayEdit(from.own_role) ? { value: from.id, label: from.name } : undefined;
	// It need not wait for the list of all projects.
	const homes =
		own === undefined || writable.homes.some(({ value }) => value === own.value)
			? writable.homes
			: [...writable.homes, own];
	const first = () => {
		if (source !== undefined && isPending) return undefined;
		if (own !== undefined && from?.access === "restricted") return own;
		return homes.find(({ value }) => value === LIBRARY) ?? (writable.isComplete ? own : undefined);
	};
	const value = chosen ?? first()?.value ?? "";
	return {
		...writable,
		homes,
		value,
		choose,
		sent: value === LIBRARY || value === "" ? {} : { project: value },
		isNowhere: writable.isComplete && homes.length === 0,
	};
}
