package dev.sluice.connector.comparison.printed;

import dev.sluice.connector.api.comparison.HashSeeds;
import dev.sluice.connector.api.comparison.HashedRow;
import dev.sluice.connector.api.comparison.RowHash;
import dev.sluice.connector.api.comparison.RowKey;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;

/**
 * The two hash values of a row, from the SHA-256 of the session's seeds and the row's text: the
 * same as on PostgreSQL's side. Owned by the reading thread.
 */
final class RowDigest {
  private final MessageDigest digest;
  private final byte[] seeds;
  private long first;
  private long second;

  private RowDigest(byte[] seeds) {
    this.digest = sha256();
    this.seeds = seeds;
  }

  static RowDigest of(RowHash hash) {
    if (hash.function() != RowHash.Function.SHA256) {
      throw new IllegalStateException("BUG: rows are hashed here by SHA-256 only");
    }
    HashSeeds seeds = hash.seeds();
    return new RowDigest(
        (seeds.first() + " " + seeds.second() + " ").getBytes(StandardCharsets.US_ASCII));
  }

  /** A digest of texts that does not depend on the session. */
  static RowDigest withoutSeeds() {
    return new RowDigest(new byte[0]);
  }

  RowDigest read(RecordText row) {
    digest.update(seeds);
    digest.update(row.bytes(), 0, row.length());
    ByteBuffer sum = ByteBuffer.wrap(digest.digest());
    first = sum.getLong();
    second = sum.getLong();
    return this;
  }

  long first() {
    return first;
  }

  long second() {
    return second;
  }

  /**
   * The part to which the row belongs, by its first number.
   *
   * @param of how many there are, a power of two
   */
  int part(int of) {
    return (int) (first & of - 1);
  }

  /** The numbers, with the row's key. */
  HashedRow withKey(RowKey key) {
    return new HashedRow(key, first, second);
  }

  /** Whether a row has the same numbers. */
  boolean isOf(HashedRow row) {
    return row.first() == first && row.second() == second;
  }

  static String hexadecimal(byte[] value) {
    return HexFormat.of().formatHex(sha256().digest(value));
  }

  private static MessageDigest sha256() {
    try {
      return MessageDigest.getInstance("SHA-256");
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException("BUG: each Java has SHA-256", e);
    }
  }
}
