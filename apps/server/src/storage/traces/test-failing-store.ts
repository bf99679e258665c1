import type { TraceStore } from "./trace-store.ts";

/** A store of which every call fails with `error`, while there is one. */
export function failingStore(store: TraceStore, error: () => unknown): TraceStore {
	return new Proxy(store, {
		get(target, name) {
			const member: unknown = Reflect.get(target, name);
			if (typeof member !== "function") return member;
			return (...given: unknown[]) => {
				const failure = error();
				return failure === undefined ? Reflect.apply(member, target, given) : Promise.reject(failure);
			};
		},
	});
}
