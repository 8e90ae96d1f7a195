package dev.sluice.connector.api;

import java.nio.ByteBuffer;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;

/** The first eight bytes of SHA-256: names a schema by its content. */
final class Fingerprint {
  private Fingerprint() {}

  static long of(byte[] content) {
    try {
      return ByteBuffer.wrap(MessageDigest.getInstance("SHA-256").digest(content)).getLong();
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException("every Java platform has SHA-256", e);
    }
  }
}
