import { useMemo, useState } from "react";

/** Which spans have annotations: as loaded, and updated by what became known since. */
export function useAnnotatedSpans(
	loaded: readonly string[],
): [annotated: ReadonlySet<string>, mark: (spanId: string, isAnnotated: boolean) => void] {
	const [changes, setChanges] = useState<ReadonlyMap<string, boolean>>(new Map());
	const annotated = useMemo(() => {
		const ids = new Set(loaded);
		for (const [id, isAnnotated] of changes) {
			if (isAnnotated) ids.add(id);
			else ids.delete(id);
		}
		return ids;
	}, [loaded, changes]);
	return [annotated, (id, isAnnotated) => setChanges((before) => new Map(before).set(id, isAnnotated))];
}
