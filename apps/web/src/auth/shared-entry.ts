const DATABASE = "spanward.shared";
const STORE = "entries";

const own = new Map<string, string>();

/**
 * Changes an entry that the tabs of this browser share, and resolves with its new value; undefined means none. Changes
 * of all tabs are serialized, each as a transaction of IndexedDB, which also works under http. (Writes to local storage
 * reach other tabs later, and much later on a busy machine.) Where the browser stores nothing, each tab has its own.
 */
export async function changeSharedEntry(
	key: string,
	change: (entry: string | undefined) => string | undefined,
): Promise<string | undefined> {
	try {
		const database = await openDatabase();
		try {
			return await changeStored(database, key, change);
		} finally {
			database.close();
		}
	} catch (error) {
		if (!(error instanceof DOMException)) throw error;
		const entry = change(own.get(key));
		if (entry === undefined) own.delete(key);
		else own.set(key, entry);
		return entry;
	}
}

function openDatabase(): Promise<IDBDatabase> {
	return new Promise((resolve, reject) => {
		const opening = indexedDB.open(DATABASE, 1);
		opening.onupgradeneeded = () => opening.result.createObjectStore(STORE);
		opening.onsuccess = () => resolve(opening.result);
		opening.onerror = () => reject(opening.error);
	});
}

function changeStored(
	database: IDBDatabase,
	key: string,
	change: (entry: string | undefined) => string | undefined,
): Promise<string | undefined> {
	return new Promise((resolve, reject) => {
		const transaction = database.transaction(STORE, "readwrite", { durability: "relaxed" });
		const store = transaction.objectStore(STORE);
		const reading: IDBRequest<unknown> = store.get(key);
		let entry: string | undefined;
		reading.onsuccess = () => {
			entry = change(typeof reading.result === "string" ? reading.result : undefined);
			if (entry === undefined) store.delete(key);
			else store.put(entry, key);
		};
		transaction.oncomplete = () => resolve(entry);
		transaction.onabort = () => reject(transaction.error ?? new DOMException("The database was closed.", "AbortError"));
	});
}
