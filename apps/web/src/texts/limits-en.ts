/** The texts about what a key or a program may do, and where; loaded without those of the app. */
export const limitsTexts = {
	permissions: {
		read: "read",
		ingest: "send traces",
		annotate: "annotate and write notes",
		write: "write: also datasets, experiments and prompts, and send and annotate",
		admin: "administer this server: also users, access and settings, as far as a program may",
	},
	/** A program whose name shows nothing. */
	nameless: "a program without a name",
	permissionMissing: "Choose at least one.",
	homesChosen: "Chosen",
	homesFind: "Find a project",
	homesLibrary: "The library: datasets and prompts of no project",
	homesNone: "No project has such a name.",
	homesMore: "projects",
	homeRemove: (name: string) => `Remove ${name}`,
} as const;
