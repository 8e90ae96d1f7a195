package dev.sluice.connector.api;

import java.nio.ByteBuffer;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;

/** The fingerprint of a schema: the first eight bytes of its SHA-256. Stateless. */
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
