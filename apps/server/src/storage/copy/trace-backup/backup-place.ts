/** Where ClickHouse keeps a backup: under a disk or a named collection for S3 of its configuration. */
export interface BackupPlace {
	readonly kind: "disk" | "s3";
	/** Of the disk or the collection. */
	readonly name: string;
	/** Folder there; empty for none. */
	readonly folder: string;
}

const PLACE = /^(disk|s3):([A-Za-z_][A-Za-z0-9_-]{0,63})(?:\/([A-Za-z0-9_.-]{1,64}(?:\/[A-Za-z0-9_.-]{1,64}){0,7}))?$/;

/** Parses `disk:<disk>[/<folder>]` or `s3:<named collection>[/<folder>]`; undefined where it is neither. */
export function parsePlace(text: string): BackupPlace | undefined {
	const [, kind, name, folder = ""] = PLACE.exec(text) ?? [];
	if ((kind !== "disk" && kind !== "s3") || name === undefined) return undefined;
	if (kind === "s3" && name.includes("-")) return undefined;
	return folder.split("/").some((part) => /^\.+$/.test(part)) ? undefined : { kind, name, folder };
}

export function formatPlace({ kind, name, folder }: BackupPlace): string {
	return `${kind}:${name}${folder === "" ? "" : `/${folder}`}`;
}

/**
 * The place in a statement, which takes no parameters there. {@link parsePlace} has let nothing through that would end a
 * text or a name.
 * @param path below the folder of the place, of the same characters
 */
export function placeSql({ kind, name, folder }: BackupPlace, path: string): string {
	const whole = folder === "" ? path : `${folder}/${path}`;
	return kind === "disk" ? `Disk('${name}', '${whole}')` : `S3(${name}, '${whole}')`;
}
