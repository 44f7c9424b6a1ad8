/* The part of FoundationDB's C interface, API version 730, that its Go binding and this project call. It is our own
 * declaration of a published interface: a program that is built with it links with the real client library and with the
 * double beside it alike. Layouts that matter are held by _Static_assert. */
#ifndef PHASELOCK_FDB_C_H
#define PHASELOCK_FDB_C_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct FDB_future FDBFuture;
typedef struct FDB_database FDBDatabase;
typedef struct FDB_transaction FDBTransaction;
typedef struct FDB_tenant FDBTenant;

typedef int fdb_error_t;
typedef int fdb_bool_t;

/* The numbers of options, mutations and modes are the binding's own. */
typedef int FDBNetworkOption;
typedef int FDBDatabaseOption;
typedef int FDBTransactionOption;
typedef int FDBMutationType;
typedef int FDBStreamingMode;
typedef int FDBConflictRangeType;

#pragma pack(push, 4)
typedef struct key {
	const uint8_t* key;
	int key_length;
} FDBKey;
typedef struct keyvalue {
	const uint8_t* key;
	int key_length;
	const uint8_t* value;
	int value_length;
} FDBKeyValue;
#pragma pack(pop)

typedef struct keyselector {
	FDBKey key;
	fdb_bool_t orEqual;
	int offset;
} FDBKeySelector;

typedef struct getrangereqandresult {
	FDBKeySelector begin;
	FDBKeySelector end;
	FDBKeyValue* data;
	int m_size, m_capacity;
} FDBGetRangeReqAndResult;

typedef struct mappedkeyvalue {
	FDBKey key;
	FDBKey value;
	FDBGetRangeReqAndResult getRange;
	unsigned char buffer[32];
} FDBMappedKeyValue;

typedef void (*FDBCallback)(FDBFuture* future, void* parameter);

const char* fdb_get_error(fdb_error_t code);
const char* fdb_get_client_version(void);
int fdb_get_max_api_version(void);
fdb_error_t fdb_select_api_version_impl(int runtime_version, int header_version);
fdb_error_t fdb_network_set_option(FDBNetworkOption option, const uint8_t* value, int value_length);
fdb_error_t fdb_setup_network(void);
fdb_error_t fdb_run_network(void);
fdb_error_t fdb_stop_network(void);

void fdb_future_cancel(FDBFuture* f);
void fdb_future_release_memory(FDBFuture* f);
void fdb_future_destroy(FDBFuture* f);
fdb_error_t fdb_future_block_until_ready(FDBFuture* f);
fdb_bool_t fdb_future_is_ready(FDBFuture* f);
fdb_error_t fdb_future_set_callback(FDBFuture* f, FDBCallback callback, void* parameter);
fdb_error_t fdb_future_get_error(FDBFuture* f);
fdb_error_t fdb_future_get_int64(FDBFuture* f, int64_t* out);
fdb_error_t fdb_future_get_key(FDBFuture* f, const uint8_t** out, int* length);
fdb_error_t fdb_future_get_value(FDBFuture* f, fdb_bool_t* present, const uint8_t** out, int* length);
fdb_error_t fdb_future_get_keyvalue_array(FDBFuture* f, const FDBKeyValue** out, int* count, fdb_bool_t* more);
fdb_error_t fdb_future_get_mappedkeyvalue_array(FDBFuture* f, const FDBMappedKeyValue** out, int* count, fdb_bool_t* more);
fdb_error_t fdb_future_get_key_array(FDBFuture* f, const FDBKey** out, int* count);
fdb_error_t fdb_future_get_string_array(FDBFuture* f, const char*** out, int* count);

fdb_error_t fdb_create_database(const char* cluster_file, FDBDatabase** out);
fdb_error_t fdb_create_database_from_connection_string(const char* text, FDBDatabase** out);
void fdb_database_destroy(FDBDatabase* d);
fdb_error_t fdb_database_set_option(FDBDatabase* d, FDBDatabaseOption option, const uint8_t* value, int value_length);
fdb_error_t fdb_database_open_tenant(FDBDatabase* d, const uint8_t* name, int length, FDBTenant** out);
fdb_error_t fdb_database_create_transaction(FDBDatabase* d, FDBTransaction** out);
FDBFuture* fdb_database_reboot_worker(FDBDatabase* d, const uint8_t* address, int length, fdb_bool_t check, int duration);
FDBFuture* fdb_database_get_client_status(FDBDatabase* d);
fdb_error_t fdb_tenant_create_transaction(FDBTenant* t, FDBTransaction** out);
void fdb_tenant_destroy(FDBTenant* t);

void fdb_transaction_destroy(FDBTransaction* t);
void fdb_transaction_cancel(FDBTransaction* t);
void fdb_transaction_reset(FDBTransaction* t);
fdb_error_t fdb_transaction_set_option(FDBTransaction* t, FDBTransactionOption option, const uint8_t* value, int value_length);
void fdb_transaction_set_read_version(FDBTransaction* t, int64_t version);
FDBFuture* fdb_transaction_get_read_version(FDBTransaction* t);
FDBFuture* fdb_transaction_get(FDBTransaction* t, const uint8_t* key, int key_length, fdb_bool_t snapshot);
FDBFuture* fdb_transaction_get_key(FDBTransaction* t, const uint8_t* key, int key_length, fdb_bool_t or_equal, int offset, fdb_bool_t snapshot);
FDBFuture* fdb_transaction_get_addresses_for_key(FDBTransaction* t, const uint8_t* key, int key_length);
FDBFuture* fdb_transaction_get_range(FDBTransaction* t, const uint8_t* begin, int begin_length, fdb_bool_t begin_or_equal, int begin_offset,
                                     const uint8_t* end, int end_length, fdb_bool_t end_or_equal, int end_offset, int limit, int target_bytes,
                                     FDBStreamingMode mode, int iteration, fdb_bool_t snapshot, fdb_bool_t reverse);
FDBFuture* fdb_transaction_get_mapped_range(FDBTransaction* t, const uint8_t* begin, int begin_length, fdb_bool_t begin_or_equal, int begin_offset,
                                            const uint8_t* end, int end_length, fdb_bool_t end_or_equal, int end_offset, const uint8_t* mapper,
                                            int mapper_length, int limit, int target_bytes, FDBStreamingMode mode, int iteration,
                                            fdb_bool_t snapshot, fdb_bool_t reverse);
FDBFuture* fdb_transaction_get_estimated_range_size_bytes(FDBTransaction* t, const uint8_t* begin, int begin_length, const uint8_t* end, int end_length);
FDBFuture* fdb_transaction_get_range_split_points(FDBTransaction* t, const uint8_t* begin, int begin_length, const uint8_t* end, int end_length,
                                                  int64_t chunk);
void fdb_transaction_set(FDBTransaction* t, const uint8_t* key, int key_length, const uint8_t* value, int value_length);
void fdb_transaction_atomic_op(FDBTransaction* t, const uint8_t* key, int key_length, const uint8_t* param, int param_length, FDBMutationType type);
void fdb_transaction_clear(FDBTransaction* t, const uint8_t* key, int key_length);
void fdb_transaction_clear_range(FDBTransaction* t, const uint8_t* begin, int begin_length, const uint8_t* end, int end_length);
FDBFuture* fdb_transaction_watch(FDBTransaction* t, const uint8_t* key, int key_length);
FDBFuture* fdb_transaction_commit(FDBTransaction* t);
fdb_error_t fdb_transaction_get_committed_version(FDBTransaction* t, int64_t* out);
FDBFuture* fdb_transaction_get_approximate_size(FDBTransaction* t);
FDBFuture* fdb_transaction_get_versionstamp(FDBTransaction* t);
FDBFuture* fdb_transaction_on_error(FDBTransaction* t, fdb_error_t code);
fdb_error_t fdb_transaction_add_conflict_range(FDBTransaction* t, const uint8_t* begin, int begin_length, const uint8_t* end, int end_length,
                                               FDBConflictRangeType type);

#ifdef __cplusplus
}
#endif

#endif
