/** What keys and programs may be given, each of it as far as the one for whom they act may do it. */
export const PERMISSIONS = ["read", "ingest", "annotate", "write"] as const;
export type Permission = (typeof PERMISSIONS)[number];

/** A project as a form shows it. */
export interface ChosenProject {
	readonly id: string;
	readonly name: string;
}

/** The places that something is limited to; nothing chosen stands for all. */
export interface ChosenHomes {
	readonly projects: readonly ChosenProject[];
	readonly library: boolean;
}
